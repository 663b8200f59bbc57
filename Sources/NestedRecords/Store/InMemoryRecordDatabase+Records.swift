extension InMemoryRecordDatabase {
    /// Makes a database with records, and with the claims of the unique properties of the types that were used so far.
    ///
    /// - Parameters:
    ///   - records: The records, of any version.
    ///   - coding: How the records were made of values.
    /// - Throws: ``RecordDatabaseError`` with the code `valueTaken`, `duplicateID`, or `missingAsset` for any asset;
    ///   ``RecordError`` with the code `invalidSchema`.
    package convenience init(holding records: [Record], _ coding: RecordCoding) throws {
        for record in records { try record.checkHasNoAssets() }
        self.init()
        var batch = RecordBatch(saving: records, savePolicy: .overwrite)
        let given = Set(records.map(\.id))
        let fields = UniqueFields(coding.fieldNaming)
        let claims = try records.flatMap { try fields?.claims(of: $0, replacing: nil) ?? [] }
        try batch.add(claims.filter { !given.contains($0.recordID) })
        try fill(with: batch)
    }
}
