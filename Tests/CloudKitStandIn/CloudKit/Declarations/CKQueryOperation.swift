import Foundation

/// Page: cloudkit/ckqueryoperation [differs: the page prints a class].
///
/// Only as the scope of its cursor: the stand-in has the async calls of `CKDatabase`, not the operations.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public enum CKQueryOperation {
    /// Page: cloudkit/ckqueryoperation/maximumresults [not verified: its value].
    public static let maximumResults: Int = 0

    /// Page: cloudkit/ckqueryoperation/cursor-swift.class [differs: without NSSecureCoding].
    public final class Cursor: NSObject, NSCopying, Sendable {
        let remaining: [CKRecord.ID]

        init(remaining: [CKRecord.ID]) { self.remaining = remaining }

        /// Page: foundation/nscopying/copy(with:).
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
}
