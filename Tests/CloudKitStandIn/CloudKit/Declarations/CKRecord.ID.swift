import Foundation

extension CKRecord {
    /// Page: cloudkit/ckrecord/id.
    @available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
    public final class ID: NSObject, NSSecureCoding, NSCopying, Sendable {
        /// Page: cloudkit/ckrecord/id/recordname.
        public let recordName: String

        /// Page: cloudkit/ckrecord/id/zoneid.
        public let zoneID: CKRecordZone.ID

        /// Page: cloudkit/ckrecord/id/init(recordname:zoneid:).
        public init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = CKRecordZone.ID.default) {
            precondition(!recordName.isEmpty, "the page: an empty name throws an exception")
            (self.recordName, self.zoneID) = (recordName, zoneID)
        }

        /// Page: cloudkit/ckrecord/id/init(coder:).
        public init?(coder: NSCoder) {
            guard let name = coder.text("RecordName"), !name.isEmpty, let zone = CKRecordZone.ID(coder: coder) else {
                return nil
            }
            (recordName, zoneID) = (name, zone)
        }

        /// Page: foundation/nssecurecoding/supportssecurecoding.
        public static var supportsSecureCoding: Bool { true }

        /// Page: foundation/nscoding/encode(with:).
        public func encode(with coder: NSCoder) {
            coder.encode(recordName as NSString, forKey: "RecordName")
            zoneID.encode(with: coder)
        }

        /// Page: foundation/nscopying/copy(with:).
        public func copy(with zone: NSZone? = nil) -> Any { self }

        override public func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CKRecord.ID else { return false }
            return recordName == other.recordName && zoneID == other.zoneID
        }

        override public var hash: Int { recordName.hashValue ^ zoneID.hash }

        override public var description: String { "\(recordName) in \(zoneID.zoneName)" }
    }
}
