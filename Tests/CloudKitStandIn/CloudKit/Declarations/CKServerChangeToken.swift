import Foundation

/// Page: cloudkit/ckserverchangetoken.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, Sendable {
    let position: StandInPosition

    init(_ position: StandInPosition) { self.position = position }

    /// Page: foundation/nscoding/init(coder:).
    public init?(coder: NSCoder) {
        guard let text = coder.text("Position"), let position = StandInPosition(text) else { return nil }
        self.position = position
    }

    /// Page: foundation/nssecurecoding/supportssecurecoding.
    public static var supportsSecureCoding: Bool { true }

    /// Page: foundation/nscoding/encode(with:).
    public func encode(with coder: NSCoder) { coder.encode(position.text as NSString, forKey: "Position") }

    /// Page: foundation/nscopying/copy(with:).
    public func copy(with zone: NSZone? = nil) -> Any { self }

    override public func isEqual(_ object: Any?) -> Bool {
        (object as? CKServerChangeToken)?.position == position
    }

    override public var hash: Int { position.text.hashValue }
}
