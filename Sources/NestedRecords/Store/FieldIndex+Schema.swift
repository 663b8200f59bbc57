extension FieldIndex {
    /// The indexes that the schemas of Swift types declare, for the options of a database.
    ///
    /// ```swift
    /// struct Job: RecordCodable, Identifiable {
    ///     var id: Int
    ///     var owner: String
    ///     var due: Date
    ///     static let schema = RecordSchema(indexes: [["owner", "due"]])
    /// }
    /// options.indexes = try FieldIndex.declared(by: Job.self)
    /// ```
    ///
    /// - Parameters:
    ///   - types: The Swift types.
    ///   - coding: How their properties become fields.
    /// - Returns: The indexes in the order of the types and of their schemas.
    /// - Throws: `RecordError.Code.invalidSchema` for a name that is not a coding key.
    public static func declared(
        by types: any RecordDecodable.Type..., coding: RecordCoding = RecordCoding()
    ) throws -> [FieldIndex] {
        try types.flatMap { try declared(by: $0, coding) }
    }

    private static func declared<Model: RecordDecodable>(
        by type: Model.Type, _ coding: RecordCoding
    ) throws -> [FieldIndex] {
        let info = RecordTypeInfo.info(of: type)
        if let fault = info.schemaFault { throw fault }
        let keys = PropertyKeys(of: type, userInfo: coding.userInfo)
        return try info.schema.indexes.map { properties in
            if let unknown = properties.first(where: { keys?.hasKey(named: $0) == false }) {
                throw RecordError.invalidSchema(
                    "indexes", type: "\(Model.self)", reason: "'\(unknown)' is not a coding key of the type")
            }
            let names = WrappedProperty.all(of: type).filter { $0.wrapper == .recordName }.map(\.name)
            return FieldIndex(
                info.type,
                by: properties.map {
                    names.contains($0) ? .recordName : FieldPath([coding.keyStrategy.fieldName(for: $0)])
                })
        }
    }
}
