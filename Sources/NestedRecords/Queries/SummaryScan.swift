/// Summarizes the records of a query, one after the other.
private struct SummaryScan<Fields: FieldSource> {
    private let predicate: RecordPredicate
    private let field: QueryPath?
    private let group: QueryPath?
    private(set) var builder: SummaryBuilder
    var source: Fields

    init(
        _ filter: RecordFilterPart, of field: FieldPath?, groupedBy group: RecordGrouping?,
        _ makeSource: (QueryFields) -> Fields
    ) throws {
        var fields = QueryFields()
        predicate = try RecordPredicate(filter, fields: &fields)
        self.field = field.map { fields.path($0) }
        self.group = group.map { fields.path($0.path) }
        builder = SummaryBuilder(of: field, groupedBy: group)
        source = makeSource(fields)
    }

    mutating func examine() throws(RecordError) {
        guard predicate.holds(for: &source) else { return }
        try builder.add(group: group?.value(in: &source), field: field?.value(in: &source))
    }
}

extension SummaryScan: Sendable where Fields: Sendable {}

/// Summarizes records in memory.
package struct RecordSummaryScan {
    private var scan: SummaryScan<RecordSource>

    package init(_ filter: RecordFilterPart, of field: FieldPath?, groupedBy group: RecordGrouping?) throws {
        scan = try SummaryScan(filter, of: field, groupedBy: group, RecordSource.init)
    }

    package mutating func add(_ record: Record) throws {
        try ElementInPlace.with(record) { record in
            scan.source.begin(at: record)
            try scan.examine()
        }
    }

    package var summaries: [RecordSummary] { scan.builder.summaries }
}

/// Summarizes records in their binary form, of which it reads only the fields that it needs.
package struct BinarySummaryScan: BinaryRecordVisitor {
    private var scan: SummaryScan<BinarySource>

    package init(_ filter: RecordFilterPart, of field: FieldPath?, groupedBy group: RecordGrouping?) throws {
        scan = try SummaryScan(filter, of: field, groupedBy: group, BinarySource.init)
    }

    package mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws {
        try scan.source.open(bytes)
        try scan.examine()
        try scan.source.close()
    }

    /// Whether the metadata of the records are read.
    package var readsMetadata: Bool { scan.source.readsMetadata }

    package mutating func visit(_ parts: RecordParts) throws {
        scan.source.open(parts)
        try scan.examine()
        try scan.source.close()
    }

    package var summaries: [RecordSummary] { scan.builder.summaries }
}
