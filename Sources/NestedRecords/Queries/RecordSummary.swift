/// What the records of a query have together, or those with one value of a field.
public struct RecordSummary: Sendable, Equatable {
    /// The value that the records share; nil without a grouping, and for records without a value or with null.
    ///
    /// It is the date at which a part of the calendar begins if the records are grouped by ``RecordGrouping/part``.
    ///
    /// Values with the same ``SortKey`` are one group: 1 and 1.0, and numbers that are stored as digits with the nearest
    /// double. Numbers with an integral value are integers, references have no action.
    public let group: Record.Value?

    /// The number of records.
    public let count: Int

    /// The number of records that have a number in the summarized field.
    public let numberCount: Int

    /// The exact sum of the numbers; 0 if there are none.
    ///
    /// They are added as the decimal numbers that JSON writes: 0.1 and 0.2 give 0.3. A sum that no number of a field holds
    /// is a map with its digits, as decimal numbers are stored.
    public let sum: Record.Value

    /// The mean of the numbers, as the nearest double of their sum, divided by their number; nil if there are none.
    public let average: Double?

    /// The least value of the summarized field in the order of ``SortKey``, apart from null; nil if there is none.
    public let min: Record.Value?

    /// The greatest value of the summarized field in the order of ``SortKey``, apart from null; nil if there is none.
    public let max: Record.Value?

    /// The sum, rounded once.
    package let double: Double

    package init(
        group: Record.Value?, count: Int, numberCount: Int, sum: Record.Value, average: Double?, min: Record.Value?,
        max: Record.Value?, double: Double
    ) {
        (self.group, self.count, self.numberCount, self.sum) = (group, count, numberCount, sum)
        (self.average, self.min, self.max, self.double) = (average, min, max, double)
    }
}

/// The summaries of groups while records are added.
package struct SummaryBuilder: Sendable {
    private struct Entry {
        let group: Record.Value?
        var count = 0
        private(set) var numberCount = 0
        private(set) var sum = NumberSum()
        private(set) var least: (key: SortKey, value: Record.Value)?
        private(set) var greatest: (key: SortKey, value: Record.Value)?

        init(group: Record.Value?) { self.group = group }

        mutating func add(_ value: Record.Value, at path: FieldPath) throws(RecordError) {
            if sum.add(value) { numberCount += 1 } else { try value.checkIsScalar(at: path) }
            let key = SortKey(value)
            if least.map({ Self.isLess(key, value, than: $0) }) ?? true { least = (key, value) }
            if greatest.map({ Self.isLess($0.key, $0.value, than: (key, value)) }) ?? true { greatest = (key, value) }
        }

        private static func isLess(
            _ key: SortKey, _ value: Record.Value, than other: (key: SortKey, value: Record.Value)
        ) -> Bool {
            if key != other.key { return key < other.key }
            // Different numbers may have the same key. Of forms of one number, every database takes the same.
            if value == other.value { return false }
            if NumberSum.isLess(value, than: other.value) { return true }
            return !NumberSum.isLess(other.value, than: value) && "\(value)" < "\(other.value)"
        }
    }

    /// The maximum number of groups that a database counts in an index, where it must read a record for each.
    package static let mostCountedGroups = 10_000

    private let group: RecordGrouping?
    private let fieldPath: FieldPath?

    /// Nil if the records are grouped by values.
    private var intervals: DateIntervals?
    private var entries: [SortKey: Entry] = [:]

    package init(of field: FieldPath?, groupedBy group: RecordGrouping?) {
        (fieldPath, self.group) = (field, group)
        intervals = group.flatMap { DateIntervals($0) }
    }

    /// Adds a record, or several with one value of the group's field.
    ///
    /// - Throws: ``RecordError`` with the code `invalidSummary`.
    package mutating func add(
        group: Record.Value?, field: Record.Value?, count: Int = 1
    ) throws(RecordError) {
        var (value, key) = (Record.Value?.none, SortKey(nil))
        if let path = self.group?.path, let group, group != .null {
            // Not `??`, which forgets the type of the error.
            if let start = try intervals?.start(of: group, at: path) {
                value = start
            } else {
                value = try group.shared(at: path)
            }
            key = SortKey(value)
        }
        entries[key, default: Entry(group: value)].count += count
        if let fieldPath, let field, field != .null { try entries[key]?.add(field, at: fieldPath) }
    }

    /// The summaries in the order of the groups; without a grouping one, also of no records.
    package var summaries: [RecordSummary] {
        let entries = group == nil && entries.isEmpty ? [SortKey(nil): Entry(group: nil)] : entries
        return entries.sorted { $0.key < $1.key }.map { _, entry in
            RecordSummary(
                group: entry.group, count: entry.count, numberCount: entry.numberCount, sum: entry.sum.value,
                average: entry.numberCount == 0 ? nil : entry.sum.double / Double(entry.numberCount),
                min: entry.least?.value.canonical, max: entry.greatest?.value.canonical, double: entry.sum.double)
        }
    }
}

extension Record.Value {
    /// The form that equal values of a group have in common: those with the same ``SortKey``.
    ///
    /// - Throws: ``RecordError`` with the code `invalidSummary` for a list, a map, and a value whose key is cut.
    fileprivate func shared(at path: FieldPath) throws(RecordError) -> Record.Value {
        if case .map(let fields) = self, fields.areDecimal { return sharedNumber }
        try checkIsScalar(at: path)
        guard !Operand(self).isAmbiguous else {
            throw RecordError(
                .invalidSummary,
                reason: "'\(path)' has a value of more than \(SortKey.longest) bytes, which cannot be grouped by")
        }
        return canonical
    }

    /// The number that other numbers with the same key become, too: the nearest double, or an integer.
    private var sharedNumber: Record.Value {
        guard let digits = numberDigits, let double = Double(digits) else { return .double(.nan) }
        if let integer = UInt64(digits), integer > Int64.max, "\(integer)".hasSameBytes(as: digits) {
            return Double(exactly: integer).map { .double($0) } ?? self
        }
        return Record.Value.double(double).canonical
    }

    /// Checks that this is not a list, and not a map, except one that represents a number.
    ///
    /// - Throws: ``RecordError`` with the code `invalidSummary`.
    func checkIsScalar(at path: FieldPath) throws(RecordError) {
        guard isCollection, numberDigits == nil else { return }
        throw RecordError(.invalidSummary, reason: "'\(path)' has a value that is a list or a map")
    }

    /// An integral number as an integer, a reference without its action.
    fileprivate var canonical: Record.Value {
        if case .double(let double) = self, let integer = Int64(exactly: double) { return .int(integer) }
        if case .reference(let reference) = self { return .reference(Record.Reference(to: reference.id)) }
        return self
    }
}
