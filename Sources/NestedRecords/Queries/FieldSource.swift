/// A record whose fields a query reads, in whatever form the record is.
protocol FieldSource {
    /// Appends the UTF-8 of the record's name.
    mutating func appendName(to bytes: inout [UInt8])

    var recordName: String { mutating get }
    var metadata: Record.Metadata? { mutating get }

    /// The value of a field; nil if the record has none of this name.
    ///
    /// - Parameter number: The number of the name in the query's ``QueryFields``.
    mutating func value(ofField number: Int) -> Record.Value?
}

/// The names of the fields that a query reads, numbered, and the positions of these fields in records.
struct QueryFields: Sendable {
    private(set) var names: [String] = []
    private var numbers: [String: Int] = [:]

    /// Where each field is in the records of the shape that was seen last; negative if nowhere.
    private var positions: ContiguousArray<(shape: FieldNames?, position: Int)> = []

    /// The path, with the number of its first name.
    mutating func path(_ path: FieldPath) -> QueryPath {
        guard let name = path.names.first else { return QueryPath(path: path, field: -1) }
        if let number = numbers[name] { return QueryPath(path: path, field: number) }
        numbers[name] = names.count
        names.append(name)
        positions.append((nil, -1))
        return QueryPath(path: path, field: names.count - 1)
    }

    /// The position of the field with this number in records of a shape; nil if they have none.
    @inline(__always)
    mutating func position(of number: Int, in shape: FieldNames?) -> Int? {
        guard let shape, number >= 0 else { return nil }
        if positions[number].shape !== shape {
            positions[number] = (shape, shape.list.position(of: names[number]) ?? -1)
        }
        let position = positions[number].position
        return position < 0 ? nil : position
    }
}

/// A path whose first name has a number.
struct QueryPath: Sendable {
    let path: FieldPath

    /// Negative if there is no name.
    let field: Int

    /// The value there; nil where there is none.
    @inline(__always)
    func value(in source: inout some FieldSource) -> Record.Value? {
        guard field >= 0 else { return attribute(of: &source) }
        guard let value = source.value(ofField: field) else { return nil }
        return path.names.count == 1 ? value : path.value(behind: value)
    }

    private func attribute(of source: inout some FieldSource) -> Record.Value? {
        path.value(named: source.recordName, source.metadata)
    }
}

/// The records of a query as they are.
struct RecordSource: FieldSource {
    private var fields: QueryFields

    /// The record that is read; there for as long as it is.
    private var record: ElementInPlace<Record>?

    init(_ fields: QueryFields) { self.fields = fields }

    mutating func begin(at record: ElementInPlace<Record>) { self.record = record }

    func appendName(to bytes: inout [UInt8]) { bytes += recordName.utf8 }

    var recordName: String { record?.value.id.name ?? "" }
    var metadata: Record.Metadata? { record?.value.metadata }

    @inline(__always)
    mutating func value(ofField number: Int) -> Record.Value? {
        guard let record, let position = fields.position(of: number, in: record.value.fields.shape) else { return nil }
        return record.value.fields.values[position]
    }
}
