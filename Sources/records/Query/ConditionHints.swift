@_spi(Engines) import NestedRecords

/// The conditions of a filter that hold for no record, or if negated for each, because of the kinds of the values.
struct ConditionHints {
    /// The maximum number of records of which the kinds are looked at, for each condition.
    static let usualSampleSize = 10_000

    /// The maximum number of conditions that are looked at.
    private static let mostConditions = 10

    let conditions: [FilterParser.Condition]
    var sampleSize = usualSampleSize

    /// The records of a type, or all; read from the first again with each call.
    let records: (String?) -> RecordSequence

    /// A sentence for each suspicious condition.
    ///
    /// - Parameter foundRecords: Whether the filter holds for a record, so that only negated conditions are suspicious.
    func lines(foundRecords: Bool) async throws -> [String] {
        let suspicious = conditions.filter {
            !$0.path.names.isEmpty && (!foundRecords || $0.isAlwaysNegated && $0.neededKinds != ["null"])
        }
        var lines: [String] = []
        for condition in suspicious.prefix(Self.mostConditions) {
            var values = SampledValues(condition)
            values.isComplete = try await FieldCatalog.sample(
                condition.path, of: condition.types, atMost: sampleSize, in: records
            ) { value in
                if let value { values.add(value) } else { values.missingCount += 1 }
                return values.isDecided
            }
            if let line = values.hint(sampleSize: sampleSize) { lines.append(line) }
        }
        return lines.uniqued()
    }
}

/// The kinds of the values at a path that a condition is about.
private struct SampledValues {
    private let condition: FilterParser.Condition

    /// The kinds of the values for which the condition may hold; none for any.
    private let needed: [String]

    /// The number of records without a value.
    var missingCount = 0

    /// Whether all records were read.
    var isComplete = true

    private var kinds: Set<String> = []

    /// The kinds of the elements of lists.
    private var elementKinds: Set<String> = []

    /// The records that a Swift type reads as the one of the condition.
    private let spellings: [Record.ID]

    /// A reference to one of these.
    private var spelled: Record.Value?

    init(_ condition: FilterParser.Condition) {
        self.condition = condition
        needed = condition.neededKinds
        if case .reference(let reference)? = condition.comparedValue, !condition.isAlwaysNegated {
            spellings = reference.id.name.otherSpellings.compactMap {
                try? Record.ID(type: reference.id.type, name: $0)
            }
        } else {
            spellings = []
        }
    }

    mutating func add(_ value: Record.Value) {
        kinds.insert(value.kindWithType)
        noteSpelling(of: value)
        guard case .list(let values) = value else { return }
        elementKinds.formUnion(values.map(\.kindWithType))
        for value in values { noteSpelling(of: value) }
    }

    private mutating func noteSpelling(of value: Record.Value) {
        if case .reference(let reference) = value, spellings.contains(reference.id) { spelled = value }
    }

    var isDecided: Bool { canHold && (spellings.isEmpty || spelled != nil) }

    /// The element that is sought in lists, if there are only lists.
    private var soughtElement: Record.Value? {
        guard case .contains(_, let value)? = condition.filter.terms.first, kinds == ["list"] else { return nil }
        return value
    }

    /// Whether the condition may hold for one of the values.
    var canHold: Bool {
        if let soughtElement { return !elementKinds.isDisjoint(with: soughtElement.comparableKinds) }
        return needed.isEmpty || !kinds.isDisjoint(with: needed)
    }

    /// A sentence about a condition that can hold for none of the values; nil if it may hold for one.
    func hint(sampleSize: Int) -> String? {
        let field = condition.path.filterText.shortened
        if case .reference(let other)? = spelled {
            return "\(field) has references to \(other.id), which is another record than that of the condition"
        }
        guard !kinds.isEmpty, !canHold, soughtElement == nil || !elementKinds.isEmpty else { return nil }
        let start = isComplete ? "" : "in the first \(sampleSize.grouped) records, "
        if needed == ["null"] {
            if condition.isAlwaysNegated { return nil }
            let missing = missingCount.countedRecords
            return "\(start)no record has null in \(field)"
                + (missingCount > 0
                    ? ", and it is missing in \(missing): write 'not \(field) exists'" : "")
        }
        // Null and empty lists mean missing values: the condition is right for values that come later.
        if condition.isAlwaysNegated, kinds.union(elementKinds).isSubset(of: ["null", "list"]) { return nil }
        let owner = condition.types.count == 1 ? "\(condition.types[0]).\(field)" : field
        let wanted = soughtElement?.comparableKinds ?? needed
        let names = (wanted.first == "number" ? ["number"] : wanted.uniqued()).map(\.plural)
        let effect = condition.isAlwaysNegated ? ", so the condition excludes no record" : ""
        let correction = correction(field).map { "; write '\($0)'" }
        let found = (soughtElement == nil ? kinds : elementKinds).sorted().map(\.plural).joined(separator: " and ")
        return "\(start)\(owner) has only \(soughtElement == nil ? "" : "lists of ")\(found)\(effect)"
            + (correction ?? ", and the condition is for \(names.joined(separator: " or "))")
    }

    /// A condition that may hold for the values.
    private func correction(_ field: String) -> String? {
        if let soughtElement { return meant(soughtElement, elementKinds).map { "\(field) contains \($0)" } }
        guard case .compare(_, let comparison, let value)? = condition.filter.terms.last else { return nil }
        guard kinds == ["list"] else { return meant(value, kinds).map { "\(field) \(comparison.rawValue) \($0)" } }
        let start = comparison == .notEqual ? "not \(field)" : field
        guard comparison == .equal || comparison == .notEqual else { return nil }
        return meant(value, elementKinds).map { "\(start) contains \($0)" }
    }

    /// A value of one of some kinds that the user may mean, in the filter language.
    private func meant(_ value: Record.Value, _ kinds: Set<String>) -> String? {
        if !kinds.isDisjoint(with: value.comparableKinds) { return value.filterText }
        guard value.kind.isNumber || [.bool, .string, .reference].contains(value.kind) else { return nil }
        let text = value.plainText
        if kinds == ["string"] { return Record.Value.string(text).typedText }
        var literal = FilterText(text, owner: "")
        if let value = try? literal.value(), literal.current == nil, kinds.isSubset(of: value.comparableKinds),
            kinds.isDisjoint(with: ["map"])
        {
            return text
        }
        guard kinds.count == 1, let type = kinds.first?.targetType, let id = try? Record.ID(type: type, name: text)
        else { return nil }
        return Record.Value.reference(Record.Reference(to: id)).filterText
    }
}

extension FilterParser.Condition {
    /// The value that a field must have, or that a list must contain; nil for other conditions.
    fileprivate var comparedValue: Record.Value? {
        for case .compare(_, .equal, let value) in filter.terms { return value }
        for case .contains(_, let value) in filter.terms { return value }
        return nil
    }

    /// The kinds of values for which the condition may hold, or without its negation; none for any.
    fileprivate var neededKinds: [String] { filter.terms.flatMap(\.neededKinds) }

    /// Whether the condition holds for values of other kinds: it is `not …` or has `!=` or `not in`.
    fileprivate var isAlwaysNegated: Bool {
        isNegated
            != filter.terms.contains {
                switch $0 {
                case .not, .compare(_, .notEqual, _): true
                default: false
                }
            }
    }
}

extension String {
    private static let reference = "reference to "

    /// The name of several values of a kind.
    fileprivate var plural: String {
        if let targetType { return "references to \(targetType)" }
        return self == "null" || self == "bytes" ? self : self + "s"
    }

    /// The type of the targets of references of this kind.
    fileprivate var targetType: String? {
        let start = Self.reference.utf8
        return utf8.starts(with: start) ? String(utf8.dropFirst(start.count)) : nil
    }

    fileprivate init(referenceTo type: String) { self = Self.reference + type }
}

extension RecordFilter.Term {
    /// The kinds of values for which the condition may hold; none for any.
    fileprivate var neededKinds: [String] {
        switch self {
        case .compare(_, _, let value): value.comparableKinds
        case .isAny(_, let values): values.flatMap(\.comparableKinds)
        case .isNull: ["null"]
        case .hasPrefix, .containsText: ["string"]
        case .contains: ["list"]
        case .within, .near: ["location", "string"]
        case .refers, .exists, .hasElement, .all, .any, .not: []
        }
    }
}

extension Record.Value {
    /// The kinds of values that this may equal: numbers may also be stored as maps.
    fileprivate var comparableKinds: [String] {
        kind.isNumber ? ["number", "integer", "map"] : [kindWithType]
    }

    /// The kind; for a reference with the type of its target.
    fileprivate var kindWithType: String {
        if case .reference(let reference) = self { String(referenceTo: reference.id.type) } else { kindWord }
    }

    /// The value in the filter language.
    fileprivate var filterText: String {
        if case .reference(let reference) = self, case let text = "\(reference.id)",
            FilterText(text, owner: "").isOneWord
        {
            return text
        }
        return typedText
    }
}
