extension CKDatabase {
    /// Page: cloudkit/ckdatabase/recordzonechange.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
    public enum RecordZoneChange {
        /// Page: cloudkit/ckdatabase/recordzonechange/modification.
        public struct Modification: Hashable, Sendable {
            /// Page: cloudkit/ckdatabase/recordzonechange/modification/record.
            public let record: CKRecord
        }

        /// Page: cloudkit/ckdatabase/recordzonechange/deletion.
        public struct Deletion: Hashable, Sendable {
            /// Page: cloudkit/ckdatabase/recordzonechange/deletion/recordid.
            public let recordID: CKRecord.ID

            /// Page: cloudkit/ckdatabase/recordzonechange/deletion/recordtype.
            public let recordType: CKRecord.RecordType
        }
    }
}
