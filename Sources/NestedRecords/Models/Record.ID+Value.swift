extension Record.ID {
    /// The ID of the record that a value becomes.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``RecordError/invalidID(type:name:reason:context:)`` if its type or name is not valid.
    public init(of value: some RecordRepresentable) throws {
        // As an existential: it is the class of the instance that counts, not that of the variable.
        let type: any RecordRepresentable.Type = Swift.type(of: value)
        try self.init(
            type: (value as? any DynamicRecordRepresentable)?.recordType ?? type.recordType,
            name: value.recordName)
    }
}
