extension Record.ID {
    /// The ID of the record that a value becomes.
    ///
    /// - Parameter value: The value.
    /// - Throws: `RecordError.Code.invalidID` if its type or name is not valid.
    public init(of value: some RecordRepresentable) throws {
        try self.init(
            type: (value as? any DynamicRecordRepresentable)?.recordType ?? instanceType(of: value).recordType,
            name: value.recordName)
    }

    /// Makes the ID of a record from its Swift type and its name.
    ///
    /// - Parameters:
    ///   - type: The Swift type; its record type is ``RecordRepresentable/recordType``.
    ///   - name: The name, or an identifier: a string, an integer, a UUID.
    /// - Throws: `RecordError.Code.invalidID` if the type or the name is not valid.
    public init(of type: (some RecordRepresentable).Type, named name: some RecordNameConvertible) throws {
        try self.init(type: actualType(type).recordType, name: name.recordName ?? "")
    }
}
