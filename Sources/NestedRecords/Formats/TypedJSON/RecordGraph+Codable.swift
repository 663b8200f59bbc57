extension RecordGraph: Codable {
    /// Writes the IDs of the roots, and the records in their typed form.
    ///
    /// ```json
    /// {"roots": ["School/hilltop"], "records": [{"id": "Person/bo", "fields": {…}}, …]}
    /// ```
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PathKey.self)
        try container.encode(roots, forKey: PathKey(stringValue: TypedKey.roots))
        try container.encode(Array(self), forKey: PathKey(stringValue: TypedKey.records))
    }

    /// Reads the encoded form.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: `DecodingError` if a part is missing or malformed, for unknown keys, for two different records with
    ///   one ID, and for a root that is not among the records.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.typedContainer(TypedKey.ofGraph)
        let records = try container.decode([Record].self, forKey: PathKey(stringValue: TypedKey.records))
        let roots = try container.decode([Record.ID].self, forKey: PathKey(stringValue: TypedKey.roots))
        do {
            try self.init(records, roots: roots)
        } catch {
            throw DecodingError.dataCorruptedError(
                forKey: PathKey(stringValue: TypedKey.records), in: container, debugDescription: "\(error)")
        }
    }
}
