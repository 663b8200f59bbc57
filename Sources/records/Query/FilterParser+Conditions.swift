@_spi(Engines) import NestedRecords

extension FilterParser {
    /// Reads a condition.
    ///
    /// - Returns: The reference whose target the following group filters; nil without such a group.
    mutating func readCondition() throws -> (path: FieldPath, type: String, start: Int)? {
        if ["and", "or"].contains(text.keyword) { throw text.unexpected("a field, 'not' or '('") }
        let start = text.position
        let subject = try FilterSubject(&text)
        let (type, textOfCondition) = (type, text)
        var condition = FilterCondition(subject: subject, type: type)
        if case .path(let path) = subject {
            use(path, at: start)
            if try readPattern(at: path) { return nil }
        }
        let filter = try condition.read(from: &text)
        if let target = condition.target {
            names.append(.init([target.type], in: text, at: target.typeStart))
            if let group = target.groupStart { return (target.path, target.type, group) }
        }
        var routed: RecordFilter?
        if case .path(let path) = subject {
            if path.leadsBack {
                if condition.target != nil { throw text.error("'refers to' cannot follow a path with '^'", at: start) }
                var (text, condition) = (
                    textOfCondition, FilterCondition(subject: .path(ReadCondition.value), type: type)
                )
                let positive = try condition.read(from: &text).positive
                filters.push(self.filter(at: path, .filter(positive.filter)))
                if positive.isNegated { filters.negate() }
                return nil
            }
            if condition.target == nil {
                note(filter, at: path)
            }
            var isNegated = false
            routed = try catalog.filter(at: path, in: type) { path in
                // The same text with another subject.
                var (text, condition) = (textOfCondition, FilterCondition(subject: .path(path), type: type))
                let positive = try condition.read(from: &text).positive
                isNegated = positive.isNegated
                return positive.filter
            }
            if isNegated { routed = routed.map { .not($0) } }
            if routed == nil, path.names.count > 1 {
                let (positive, isNegated) = filter.positive
                // Null in a comparison equals a missing value, which a path does not have.
                if condition.target == nil, try positive.matches(Record(id: Record.ID(type: "A", name: "x"))) {
                    let filter: RecordFilter = .exists(path) && positive
                    routed = isNegated ? .not(filter) : filter
                }
            }
        }
        filters.push(routed ?? filter)
        return nil
    }

    /// Reads `matches` and its pattern, if they are next.
    private mutating func readPattern(at path: FieldPath) throws -> Bool {
        var rest = text
        rest.skipSpace()
        let isNegated = rest.take(keyword: "not")
        rest.skipSpace()
        guard rest.take(keyword: "matches") else { return false }
        text = rest
        let pattern = try text.pattern()
        // The hints need the kinds of the values alone.
        note(.containsText(path, pattern.text), at: path, isNegated: isNegated)
        filters.push(filter(at: path, .pattern(pattern)))
        if isNegated { filters.negate() }
        return true
    }

    /// Keeps a condition for hints.
    private mutating func note(_ filter: RecordFilter, at path: FieldPath, isNegated: Bool = false) {
        let negations = open.reversed().prefix { if case .not = $0 { true } else { false } }
        conditions.append(
            Condition(
                types: types.last ?? [], path: path, filter: filter,
                isNegated: (negations.count % 2 == 1) != isNegated))
    }

    /// The filter for the records with a value at a path that passes a test.
    mutating func filter(at path: FieldPath, _ test: ReadCondition.Test) -> RecordFilter {
        let condition = ReadCondition(type: type ?? "", path: path, test: test)
        if let names = referring[condition] { return .isAny(.recordName, of: names) }
        unknown.append(condition)
        return .any([])
    }

    /// The type of the records that conditions are about now; nil unless it is one.
    var type: String? { types.last.flatMap { $0.count == 1 ? $0[0] : nil } }

    private mutating func use(_ path: FieldPath, at start: Int) {
        let types = types.last ?? []
        guard !path.names.isEmpty, named[types, default: []].insert(path).inserted else { return }
        names += FieldCatalog.Name(types, path, in: text, at: start).parts
    }
}

extension RecordFilter {
    /// The condition without its negation: `!=` and `not in` hold for a path if no value fulfils the opposite.
    fileprivate var positive: (filter: RecordFilter, isNegated: Bool) {
        if case .compare(let path, .notEqual, let value)? = terms.last {
            (.compare(path, .equal, value), true)
        } else if let negatedFilter {
            (negatedFilter, true)
        } else {
            (self, false)
        }
    }
}
