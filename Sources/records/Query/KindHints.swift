import NestedRecords

/// The conditions of a filter that can hold for no record, because of the kinds of the values.
struct KindHints {
    /// The maximum number of records of which the kinds are looked at, for each condition.
    fileprivate static let sampleSize = 10_000

    /// The maximum number of conditions that are looked at.
    private static let mostConditions = 10

    let conditions: [FilterParser.Condition]

    /// The records of a type, or all; read from the first again with each call.
    let records: (String?) -> RecordSequence

    /// A sentence for each suspicious condition.
    ///
    /// - Throws: Errors of reading.
    func lines() async throws -> [String] {
        var lines: [String] = []
        for condition in conditions.prefix(Self.mostConditions) where !condition.path.names.isEmpty {
            var values = SampledValues()
            try await sample(condition.path, of: condition.types, depth: 0, into: &values)
            if let line = values.hint(for: condition) { lines.append(line) }
        }
        return lines.uniqued()
    }

    private func sample(
        _ path: FieldPath, of types: [String], depth: Int, into values: inout SampledValues
    ) async throws {
        guard depth <= PathRoutes.mostReferences else { return }
        var targets: [[String]: Set<String>] = [:]
        var count = 0
        reading: for type in types.isEmpty ? [nil] : types.map({ $0 }) {
            for try await record in records(type) where !record.id.isReserved {
                let ends = path.ends(in: record)
                for (route, value) in ends {
                    if let type = route.type {
                        targets[route.rest, default: []].insert(type)
                    } else {
                        values.add(value)
                    }
                }
                if ends.isEmpty, depth == 0 { values.missingCount += 1 }
                count += 1
                if count == Self.sampleSize {
                    values.isComplete = false
                    break reading
                }
            }
        }
        for (rest, types) in targets {
            try await sample(FieldPath(rest), of: types.sorted(), depth: depth + 1, into: &values)
        }
    }
}

/// The kinds of the values at a path.
private struct SampledValues {
    /// The number of records without a value.
    var missingCount = 0

    /// Whether all records were read.
    var isComplete = true

    private var kinds: Set<String> = []
    private var targetTypes: Set<String> = []

    /// The kinds of the elements of lists.
    private var elementKinds: Set<String> = []

    mutating func add(_ value: Record.Value) {
        kinds.insert(value.kind)
        if case .reference(let reference) = value { targetTypes.insert(reference.id.type) }
        if case .list(let values) = value { elementKinds.formUnion(values.map(\.kind)) }
    }

    /// A sentence about a condition that can hold for none of these values; nil if there may be one.
    func hint(for condition: FilterParser.Condition) -> String? {
        let terms = condition.filter.terms
        let isNegated = terms.contains { if case .not = $0 { true } else { false } }
        let needed = terms.flatMap(\.neededKinds)
        guard !isNegated, !kinds.isEmpty, !needed.isEmpty, kinds.isDisjoint(with: needed) else { return nil }
        let field = condition.path.filterText.shortened
        let start = isComplete ? "" : "in the first \(KindHints.sampleSize.grouped) records, "
        if needed == ["null"] {
            let missing = missingCount.countedRecords
            return "\(start)no record has null in \(field)"
                + (missingCount > 0
                    ? ", and it is missing in \(missing): write 'not \(field) exists'" : "")
        }
        let owner = condition.types.count == 1 ? "\(condition.types[0]).\(field)" : field
        let wanted = needed.first == "number" ? ["number"] : needed.uniqued()
        let correction =
            terms.last.flatMap { self.correction(of: $0, field) }.map { "; write '\($0)'" }
            ?? ", and the condition is for \(wanted.map(\.plural).joined(separator: " or "))"
        return "\(start)\(owner) has only \(kinds.sorted().map(\.plural).joined(separator: " and "))\(correction)"
    }

    /// A condition that may hold for the values.
    private func correction(of term: RecordFilter.Term, _ field: String) -> String? {
        guard case .compare(_, let comparison, let value) = term else { return nil }
        let start = "\(field) \(comparison.rawValue) "
        if kinds == ["list"] {
            let isElement = comparison == .equal && !elementKinds.isDisjoint(with: value.comparableKinds)
            return isElement ? "\(field) contains \(value.typedText)" : nil
        }
        if kinds == ["string"] {
            switch value {
            case .int, .double, .bool, .reference: return start + Record.Value.string(value.plainText).typedText
            default: return nil
            }
        }
        guard case .string(let text) = value, kinds.isDisjoint(with: ["map"]) else { return nil }
        var literal = FilterText(text, owner: "")
        if let value = try? literal.value(), literal.current == nil, kinds.isSubset(of: value.comparableKinds) {
            return start + text
        }
        if kinds == ["reference"], targetTypes.count == 1, let type = targetTypes.first,
            let id = try? Record.ID(type: type, name: text)
        {
            return start + "\(id)"
        }
        return nil
    }
}

extension String {
    /// The name of several values of a kind.
    fileprivate var plural: String { self == "null" || self == "bytes" ? self : self + "s" }
}

extension RecordFilter.Term {
    /// The kinds of values for which the condition may hold; none for any.
    fileprivate var neededKinds: [String] {
        switch self {
        case .compare(_, .notEqual, _): []
        case .compare(_, _, let value): value.comparableKinds
        case .isAny(_, let values): values.flatMap(\.comparableKinds)
        case .isNull: ["null"]
        case .hasPrefix, .containsText: ["string"]
        case .contains: ["list"]
        case .within, .near: ["location", "string"]
        case .refers: ["reference", "list"]
        case .exists, .hasElement, .all, .any, .not: []
        }
    }
}

extension Record.Value {
    /// The kinds of values that this may equal: numbers may also be stored as maps.
    fileprivate var comparableKinds: [String] {
        switch self {
        case .int, .double: ["number", "integer", "map"]
        default: [kind]
        }
    }
}
