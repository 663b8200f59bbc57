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
    ///   - name: The name, or an identifier: a string, an integer, a UUID. If the type of `id` reads the name in another
    ///     spelling, as `UUID` reads lower case, the ID has the name that the identifier writes.
    /// - Throws: `RecordError.Code.invalidID` if the type or the name is not valid.
    public init(of type: (some RecordRepresentable).Type, named name: some RecordNameConvertible) throws {
        let info = RecordTypeInfo.info(of: type)
        try self.init(type: info.type, name: info.canonicalName(of: name.recordName ?? ""))
    }
}
