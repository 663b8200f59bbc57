import Foundation

extension CKRecord {
    /// Page: cloudkit/ckrecord/referenceaction [not verified: its raw values].
    @available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
    public enum ReferenceAction: UInt, Sendable {
        /// Page: cloudkit/ckrecord/referenceaction/none.
        case none = 0

        /// Page: cloudkit/ckrecord/referenceaction/deleteself.
        case deleteSelf = 1
    }

    /// Page: cloudkit/ckrecord/reference.
    @available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
    public final class Reference: NSObject, NSSecureCoding, NSCopying, Sendable {
        /// Page: cloudkit/ckrecord/reference/action-swift.typealias.
        public typealias Action = CKRecord.ReferenceAction

        /// Page: cloudkit/ckrecord/reference/recordid.
        public let recordID: CKRecord.ID

        /// Page: cloudkit/ckrecord/reference/action-swift.property.
        public let action: CKRecord.ReferenceAction

        /// Page: cloudkit/ckrecord/reference/init(recordid:action:).
        public init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
            (self.recordID, self.action) = (recordID, action)
        }

        /// Page: cloudkit/ckrecord/reference/init(record:action:).
        public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
            self.init(recordID: record.recordID, action: action)
        }

        /// Page: cloudkit/ckrecord/reference/init(coder:).
        public init?(coder: NSCoder) {
            guard let id = CKRecord.ID(coder: coder) else { return nil }
            recordID = id
            action = coder.decodeBool(forKey: "DeletesSelf") ? .deleteSelf : .none
        }

        /// Page: foundation/nssecurecoding/supportssecurecoding.
        public static var supportsSecureCoding: Bool { true }

        /// Page: foundation/nscoding/encode(with:).
        public func encode(with coder: NSCoder) {
            recordID.encode(with: coder)
            coder.encode(action == .deleteSelf, forKey: "DeletesSelf")
        }

        /// Page: foundation/nscopying/copy(with:).
        public func copy(with zone: NSZone? = nil) -> Any { self }

        override public func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CKRecord.Reference else { return false }
            return recordID == other.recordID && action == other.action
        }

        override public var hash: Int { recordID.hash }
    }
}
