/// The records of one or more encoded values, each once.
///
/// A random-access collection in an order for saving: each record comes after every record that it points to. In a
/// cycle this is impossible: there the record that was encoded first comes last. The root of an encoded value is
/// therefore the last element.
public struct RecordGraph: Sendable {
    /// The IDs of the root records, in the order given.
    public let roots: [Record.ID]

    // In the order of encoding, which is the order in which decoding reads them.
    let records: ContiguousArray<Record>
    let index: RecordIndex
    let order: ContiguousArray<Int32>

    init(roots: [Record.ID], records: ContiguousArray<Record>, index: RecordIndex, order: ContiguousArray<Int32>) {
        self.roots = roots
        self.records = records
        self.index = index
        self.order = order
    }

    /// Makes a graph of distinct records; nil roots mean the records that no other record points to.
    init(roots: [Record.ID]?, records: ContiguousArray<Record>, index: RecordIndex) {
        var ordering = TopologicalOrder(records: records, index: index)
        ordering.visitAll(roots: roots)
        self.init(roots: roots ?? ordering.sources, records: records, index: index, order: ordering.order)
    }

    /// Makes a graph of existing records, for example from a file.
    ///
    /// - Parameters:
    ///   - records: The records, in any order.
    ///   - roots: The IDs of the root records; nil for the records that no other record points to.
    /// - Throws: `RecordError.Code.conflict` if two different records have one ID,
    ///   `RecordError.Code.recordNotFound` if a root is not among the records, and `RecordError.Code.partialRecord` for a
    ///   record that was read with some of its fields.
    /// - Complexity: O(*n*) for *n* fields and list elements.
    public init(_ records: some Sequence<Record>, roots: [Record.ID]? = nil) throws {
        var unique = ContiguousArray<Record>()
        var index = RecordIndex(capacity: records.underestimatedCount)
        for record in records {
            if record.isPartial { throw record.partialError }
            if let position = index.position(of: record.id, in: unique) {
                guard unique[position] == record else {
                    let field = unique[position].fields.firstDifference(from: record.fields) ?? "metadata"
                    throw RecordError.conflict(record.id, field: field, first: [], second: [])
                }
            } else {
                index.insert(RecordIndex.hash(of: record.id), at: unique.count)
                unique.append(record)
            }
        }
        for root in roots ?? [] where index.position(of: root, in: unique) == nil {
            throw RecordError(.recordNotFound, recordID: root)
        }
        self.init(roots: roots, records: unique, index: index)
    }

    /// The record with this ID, nil if there is none.
    public subscript(id: Record.ID) -> Record? {
        index.position(of: id, in: records).map { records[$0] }
    }
}

extension RecordGraph: RandomAccessCollection {
    /// The position of the first record.
    public var startIndex: Int { 0 }

    /// The position after the last record.
    public var endIndex: Int { order.count }

    /// The record at a position of the saving order.
    public subscript(position: Int) -> Record { records[Int(order[position])] }
}

extension RecordGraph: Hashable {
    /// Returns whether both have equal roots and equal records, in any order.
    public static func == (left: Self, right: Self) -> Bool {
        left.roots == right.roots && left.count == right.count
            && left.records.allSatisfy { right[$0.id] == $0 }
    }

    /// Feeds the roots and the number of records to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(roots)
        hasher.combine(count)
    }
}

extension Record.Fields {
    /// The name of the first field that only one of the two records has, or whose values differ.
    func firstDifference(from other: Self) -> String? {
        first { other[$0.name] != $0.value }?.name ?? other.first { self[$0.name] == nil }?.name
    }
}
