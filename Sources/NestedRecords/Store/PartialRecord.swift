/// Some properties of a value, which ``Query/fields(_:)`` has read.
///
/// It cannot be saved: the other properties would be lost. To change the value, fetch it, or use
/// ``RecordStore/change(_:named:isolation:_:)``, which sends the changed properties alone.
@dynamicMemberLookup
public struct PartialRecord<Value: RecordDecodable>: Sendable {
    private let record: Record
    private let fields: Set<String>
    private let type: Value.Type
    private let coding: RecordCoding

    init(_ record: Record, _ fields: Set<String>, _ type: Value.Type, _ coding: RecordCoding) {
        (self.record, self.fields, self.type, self.coding) = (record, fields, type, coding)
    }

    /// The ID of the value's record.
    public var recordID: Record.ID { record.id }

    /// The metadata of the value's record.
    public var metadata: Record.Metadata? { record.metadata }

    /// A property.
    ///
    /// The errors are those of ``value(of:)``.
    public subscript<Member: Decodable>(dynamicMember keyPath: any KeyPath<Value, Member> & Sendable) -> Member {
        get throws { try decode([.property(keyPath)]) }
    }

    /// A property, or a declared field.
    ///
    /// - Parameter field: The property; it must not be a property of another record.
    /// - Returns: The value of the property.
    /// - Throws: ``RecordError`` with the code `unknownField` for a property that was not read, and with the code
    ///   `unreadableRecord` for one that cannot be decoded.
    public func value<Member: Decodable>(
        of field: (QueryField<Value, Value>) -> QueryField<Value, Member>
    ) throws -> Member {
        try decode(field(QueryField([])).steps)
    }

    private func decode<Member: Decodable>(_ steps: [PropertyStep]) throws -> Member {
        let property = try PropertyPath(steps, of: type, coding)
        try property.checkIsOwn()
        let path = property.field.path
        if let name = path.names.first, !fields.contains(name) {
            throw RecordError(
                .unknownField, reason: "'\(name)' is not one of the fields that were read: name it in the query")
        }
        if property.wrapper == .recordName, path == .recordName,
            let names = Member.self as? any RecordNameConvertible.Type,
            let name = names.init(recordName: record.id.name) as? Member
        {
            return name
        }
        var record = record
        property.field.makePresent(in: &record)
        do {
            return try coding.decode(path.value(in: record))
        } catch let error as DecodingError {
            throw RecordError(
                .unreadableRecord, recordID: record.id,
                context: RecordContext(record: record.id, field: path.names.first), underlyingError: error)
        }
    }
}

extension PartialRecord: CustomStringConvertible {
    /// The record with the fields that were read.
    public var description: String { record.description }
}

extension PartialRecord: ChildlessReflectable {}
