protocol FieldSource {
    mutating func appendName(to bytes: inout [UInt8])

    var recordName: String { mutating get }
    var metadata: Record.Metadata? { mutating get }

    /// Calls the closure with the value of a field, in place if it is stored in memory.
    ///
    /// - Parameters:
    ///   - number: The number of the name in the query's ``QueryFields``.
    ///   - body: Receives the value.
    /// - Returns: The result of the closure; nil if the record has no field of this name.
    mutating func with<Result>(field number: Int, _ body: (Record.Value) -> Result) -> Result?
}

struct QueryFields: Sendable {
    private(set) var names: [String] = []

    /// Whether a path leads to the metadata.
    private(set) var readsMetadata = false
    private var numbers: [String: Int] = [:]

    /// The position of each field in records of the last shape; negative if missing.
    private var positions: ContiguousArray<(shape: FieldNames?, position: Int)> = []

    mutating func path(_ path: FieldPath) -> QueryPath {
        guard let name = path.names.first else {
            readsMetadata = readsMetadata || path.attribute != .name
            return QueryPath(path: path, field: -1)
        }
        if let number = numbers[name] { return QueryPath(path: path, field: number) }
        numbers[name] = names.count
        names.append(name)
        positions.append((nil, -1))
        return QueryPath(path: path, field: names.count - 1)
    }

    /// The position of the field with this number in records of the last shape; nil if missing.
    func lastPosition(of number: Int) -> Int? {
        number < 0 || positions[number].position < 0 ? nil : positions[number].position
    }

    /// The position of the field with this number in records of a shape; nil if missing.
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

struct QueryPath: Sendable {
    let path: FieldPath
    let field: Int
    private let isWhole: Bool

    init(path: FieldPath, field: Int) {
        (self.path, self.field) = (path, field)
        isWhole = path.names.count == 1
    }

    @inline(__always)
    func with<Result>(in source: inout some FieldSource, _ body: (Record.Value) -> Result) -> Result? {
        if isWhole { return source.with(field: field, body) }
        return part(of: &source).map(body)
    }

    @inline(__always)
    func value(in source: inout some FieldSource) -> Record.Value? { with(in: &source) { $0 } }

    @inline(never)
    private func part(of source: inout some FieldSource) -> Record.Value? {
        guard field >= 0 else { return path.value(named: source.recordName, source.metadata) }
        return source.with(field: field) { path.value(after: $0) } ?? nil
    }
}

struct RecordSource: FieldSource {
    private var fields: QueryFields

    /// The current record; it must outlive its use here.
    private var record: ElementInPlace<Record>?

    init(_ fields: QueryFields) { self.fields = fields }

    @inline(__always)
    mutating func begin(at record: ElementInPlace<Record>) { self.record = record }

    /// Loads the fields with a number into the cache, for records that will be read soon.
    func touch(field number: Int, of records: ElementsInPlace<Record>, in positions: Range<Int>) {
        guard let position = fields.lastPosition(of: number) else { return }
        let sum = records.sumOfTouched(field: position, in: positions)
        withExtendedLifetime(sum) {}
    }

    func appendName(to bytes: inout [UInt8]) { bytes += recordName.utf8 }

    var recordName: String { record?.value.id.name ?? "" }
    var metadata: Record.Metadata? { record?.value.metadata }

    @inline(__always)
    mutating func with<Result>(field number: Int, _ body: (Record.Value) -> Result) -> Result? {
        guard let record, let position = fields.position(of: number, in: record.value.fields.shape) else { return nil }
        return body(ElementsInPlace(record.value.fields.values)[position].value)
    }
}

/// The maps in a list of a record, one at a time.
struct ElementSource: FieldSource, Sendable {
    private let fields: QueryFields
    private var map = Record.Fields()
    private(set) var recordName = ""
    private(set) var metadata: Record.Metadata?

    init(_ fields: QueryFields) { self.fields = fields }

    mutating func begin(at map: Record.Fields, of record: inout some FieldSource) {
        self.map = map
        (recordName, metadata) = (record.recordName, record.metadata)
    }

    func appendName(to bytes: inout [UInt8]) { bytes += recordName.utf8 }

    func with<Result>(field number: Int, _ body: (Record.Value) -> Result) -> Result? {
        map[fields.names[number]].map(body)
    }
}

extension ElementsInPlace<Record> {
    /// Reads the field at a position of some records; records without it are skipped.
    ///
    /// Not inlined: the compiler would remove the loop if it knew that the sum is unused.
    @inline(never)
    fileprivate func sumOfTouched(field: Int, in positions: Range<Int>) -> Int {
        var sum = 0
        for position in positions {
            let values = ElementsInPlace<Record.Value>(self[position].value.fields.values)
            if field < values.count { sum &+= values[field].touched }
        }
        return sum
    }
}
