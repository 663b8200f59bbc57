extension CKDatabase {
    /// Page: cloudkit/ckdatabase/databasechange.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
    public enum DatabaseChange {
        /// Page: cloudkit/ckdatabase/databasechange/modification.
        public struct Modification: Hashable, Sendable {
            /// Page: cloudkit/ckdatabase/databasechange/modification/zoneid.
            public let zoneID: CKRecordZone.ID
        }

        /// Page: cloudkit/ckdatabase/databasechange/deletion.
        public struct Deletion: Hashable, Sendable {
            /// Page: cloudkit/ckdatabase/databasechange/deletion/zoneid.
            public let zoneID: CKRecordZone.ID

            private let cause: Cause

            /// Page: cloudkit/ckdatabase/databasechange/deletion/purged.
            public var purged: Bool { cause == .purged }

            /// Page: cloudkit/ckdatabase/databasechange/deletion/reason-swift.property.
            @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
            public var reason: Reason {
                switch cause {
                case .deleted: .deleted
                case .purged: .purged
                case .encryptedDataReset: .encryptedDataReset
                }
            }

            /// Page: cloudkit/ckdatabase/databasechange/deletion/reason-swift.enum.
            @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
            public enum Reason: Hashable, Sendable {
                /// Page: cloudkit/ckdatabase/databasechange/deletion/reason-swift.enum/deleted.
                case deleted

                /// Page: cloudkit/ckdatabase/databasechange/deletion/reason-swift.enum/purged.
                case purged

                /// Page: cloudkit/ckdatabase/databasechange/deletion/reason-swift.enum/encrypteddatareset.
                case encryptedDataReset
            }

            /// `Reason`, for systems that are older than it.
            enum Cause: Hashable, Sendable { case deleted, purged, encryptedDataReset }

            init(zoneID: CKRecordZone.ID, cause: Cause) { (self.zoneID, self.cause) = (zoneID, cause) }
        }
    }
}
