@_spi(Engines) import NestedRecords

/// Groups records by the values of any number of paths.
struct GroupBuilder {
    private let paths: [RecordGrouping]
    private let field: FieldPath?

    /// The groups by the last path, by the values of the paths before it.
    private var groups: [[SortKey]: (values: [Record.Value?], last: SummaryBuilder)] = [:]

    init(of field: FieldPath?, groupedBy paths: [FieldPath]) {
        (self.paths, self.field) = (paths.map { RecordGrouping($0) }, field)
        if paths.count < 2 { groups[[]] = ([], SummaryBuilder(of: field, groupedBy: self.paths.last)) }
    }

    /// Adds a record to the group of each combination of its values.
    ///
    /// - Parameter values: The values of each path; none for a missing value.
    /// - Throws: `UsageError` for too many combinations, and `RecordError`.
    mutating func add(_ values: [[Record.Value]], _ numbers: [Record.Value]) throws {
        var combinations: [[Record.Value?]] = [[]]
        for values in values {
            let values: [Record.Value?] = values.isEmpty ? [nil] : values.uniqued()
            guard combinations.count * values.count <= FieldCatalog.mostValues else {
                throw UsageError("a record is in more than \(FieldCatalog.mostValues.grouped) groups")
            }
            combinations = combinations.flatMap { start in values.map { start + [$0] } }
        }
        for combination in combinations {
            try add(combination, numbers.first, count: 1)
            for number in numbers.dropFirst() { try add(combination, number, count: 0) }
        }
    }

    private mutating func add(_ values: [Record.Value?], _ number: Record.Value?, count: Int) throws {
        let start = try zip(paths.dropLast(), values).map { path, value in
            // A group has the form that its values have in common.
            var builder = SummaryBuilder(of: nil, groupedBy: path)
            try builder.add(group: value, field: nil)
            return builder.summaries[0].group
        }
        let key = start.map { SortKey($0) }
        try groups[key, default: (start, SummaryBuilder(of: field, groupedBy: paths.last))]
            .last.add(group: values.last ?? nil, field: number, count: count)
    }

    /// The groups in the order of their values.
    var summaries: [(values: [Record.Value?], summary: RecordSummary)] {
        groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { _, group in
            group.last.summaries.map { (group.values + (paths.isEmpty ? [] : [$0.group]), $0) }
        }
    }
}
