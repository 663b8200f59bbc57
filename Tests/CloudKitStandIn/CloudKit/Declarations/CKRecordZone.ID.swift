import Foundation

extension CKRecordZone {
    /// Page: cloudkit/ckrecordzone/id.
    @available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
    public final class ID: NSObject, NSSecureCoding, NSCopying, Sendable {
        /// Page: cloudkit/ckrecordzone/id/zonename.
        public let zoneName: String

        /// Page: cloudkit/ckrecordzone/id/ownername.
        public let ownerName: String

        /// Page: cloudkit/ckrecordzone/id/default.
        public static let `default` = CKRecordZone.ID()

        /// Page: cloudkit/ckrecordzone/id/defaultzonename [not verified: its value].
        public static let defaultZoneName = "_defaultZone"

        /// Page: cloudkit/ckrecordzone/id/init(zonename:ownername:)-22irr.
        @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, *)
        public init(
            zoneName: String = CKRecordZone.ID.defaultZoneName, ownerName: String = CKCurrentUserDefaultName
        ) {
            precondition(!zoneName.isEmpty && !ownerName.isEmpty, "the page: neither name may be empty")
            (self.zoneName, self.ownerName) = (zoneName, ownerName)
        }

        /// Page: cloudkit/ckrecordzone/id/init(coder:).
        public init?(coder: NSCoder) {
            guard let name = coder.text("ZoneName"), let owner = coder.text("OwnerName"), !name.isEmpty,
                !owner.isEmpty
            else { return nil }
            (zoneName, ownerName) = (name, owner)
        }

        /// Page: foundation/nssecurecoding/supportssecurecoding.
        public static var supportsSecureCoding: Bool { true }

        /// Page: foundation/nscoding/encode(with:).
        public func encode(with coder: NSCoder) {
            coder.encode(zoneName as NSString, forKey: "ZoneName")
            coder.encode(ownerName as NSString, forKey: "OwnerName")
        }

        /// Page: foundation/nscopying/copy(with:).
        public func copy(with zone: NSZone? = nil) -> Any { self }

        override public func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CKRecordZone.ID else { return false }
            return zoneName == other.zoneName && ownerName == other.ownerName
        }

        override public var hash: Int { zoneName.hashValue ^ ownerName.hashValue }

        override public var description: String { "\(zoneName) of \(ownerName)" }
    }
}
