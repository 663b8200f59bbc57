@_spi(Engines) import NestedRecords

/// The fields of the records of a type, or of the maps at a path.
struct FieldSummary {
    /// The maximum number of names in a path.
    private static let mostNames = 4

    /// The maximum number of different names in the maps at a path.
    private static let mostInMaps = 30

    private struct Field {
        var count = 0
        var kinds: Set<String> = []
        let example: Record.Value
        var profile = ValueProfile()

        /// The values in maps; one or none, since a structure cannot contain itself.
        var inner: [FieldSummary] = []
    }

    /// Whether the values are counted and compared.
    private let isProfile: Bool

    /// The number of records or maps.
    private(set) var count = 0
    private var names: [String] = []
    private var fields: [String: Field] = [:]

    init(isProfile: Bool = false) { self.isProfile = isProfile }

    /// Adds the fields of a record.
    mutating func add(_ fields: Record.Fields) { add(fields, depth: 1) }

    private mutating func add(_ values: Record.Fields, depth: Int) {
        count += 1
        if depth > 1, names.count > Self.mostInMaps { return }
        for (name, value) in values {
            if fields[name] == nil {
                names.append(name)
                fields[name] = Field(example: value)
            }
            fields[name]?.count += 1
            fields[name]?.kinds.insert(value.shortKind)
            if isProfile { fields[name]?.profile.add(value) }
            if depth < Self.mostNames { addMaps(of: value, in: name, depth: depth + 1) }
        }
        if depth > 1, names.count > Self.mostInMaps { fields = [:] }
    }

    private mutating func addMaps(of value: Record.Value, in name: String, depth: Int) {
        let values = if case .list(let values) = value { values } else { [value] }
        for value in values where value.numberDigits == nil {
            guard case .map(let map) = value else { continue }
            if fields[name]?.inner.isEmpty == true { fields[name]?.inner.append(FieldSummary(isProfile: isProfile)) }
            fields[name]?.inner[0].add(map, depth: depth)
        }
    }

    /// The counts of a field, or of a value in maps.
    struct Line {
        /// The path in the filter language.
        let title: String
        let kinds: Set<String>

        /// The share of the records or maps without it.
        let missing: Double
        let example: Record.Value

        /// Without content unless the values are compared.
        let profile: ValueProfile
    }

    /// A line for each field and for each value in maps.
    func lines(below path: [String] = []) -> [Line] {
        names.flatMap { name -> [Line] in
            guard let field = fields[name] else { return [] }
            // A field with a full stop in its name gets quotes: without them it looks like a value in a map.
            let isPath = !path.isEmpty || name.utf8.contains(UInt8(ascii: "."))
            let line = Line(
                title: isPath ? FieldPath(path + [name]).filterText : name, kinds: field.kinds,
                missing: Double(count - field.count) / Double(count), example: field.example, profile: field.profile)
            return [line] + field.inner.flatMap { $0.lines(below: path + [name]) }
        }
    }
}

/// The number of different values of a field, the least, the greatest and the most frequent one.
///
/// Lists, maps and null do not count.
struct ValueProfile {
    /// The maximum number of different values that are counted.
    private static let mostDistinct = 10_000

    /// The numbers of records by value, and whether there are more values.
    private(set) var counts: [Record.Value: Int] = [:]
    private(set) var hasMore = false
    private(set) var least: (key: SortKey, value: Record.Value)?
    private(set) var greatest: (key: SortKey, value: Record.Value)?

    mutating func add(_ value: Record.Value) {
        guard value != .null, !value.isCollection || value.numberDigits != nil else { return }
        var value = value
        // Equal numbers are one value, as in groups.
        if case .double(let double) = value, let integer = Int64(exactly: double) { value = .int(integer) }
        let key = SortKey(value)
        if least.map({ key < $0.key }) ?? true { least = (key, value) }
        if greatest.map({ $0.key < key }) ?? true { greatest = (key, value) }
        if counts[value] == nil, counts.count == Self.mostDistinct {
            hasMore = true
        } else {
            counts[value, default: 0] += 1
        }
    }

    /// The most frequent value, if one is, with its number.
    var commonest: (value: Record.Value, count: Int)? {
        let most = hasMore ? nil : counts.max { ($0.value, SortKey($1.key)) < ($1.value, SortKey($0.key)) }
        return most.flatMap { $0.value > 1 ? ($0.key, $0.value) : nil }
    }
}
