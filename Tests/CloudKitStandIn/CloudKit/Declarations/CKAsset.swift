import Foundation

/// Page: cloudkit/ckasset.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public final class CKAsset: NSObject, Sendable {
    /// Page: cloudkit/ckasset/fileurl.
    public let fileURL: URL?

    /// Page: cloudkit/ckasset/init(fileurl:).
    public init(fileURL: URL) { self.fileURL = fileURL }
}
