/// The rules of a scope: which records are shown, which may be written, and how a query is restricted to them.
///
/// Invariants: what may be written is shown, and a restricted query finds the shown records among those of the query.
struct ScopeRules: Sendable {
    struct Rule: Sendable {
        /// Nil for all records.
        var reading: RecordFilter?
        var writing: RecordFilter?
        var isReadOnly = false

        fileprivate func and(_ other: Rule) -> Rule {
            Rule(
                reading: .both(reading, other.reading), writing: .both(writing, other.writing),
                isReadOnly: isReadOnly || other.isReadOnly)
        }
    }

    private var byType: [String: Rule] = [:]
    private var ofAllTypes: Rule?

    mutating func add(_ rule: Rule, to type: String) { byType[type] = byType[type].map(rule.and) ?? rule }

    mutating func addToAllTypes(_ filter: RecordFilter) throws {
        try Self.check(filter)
        let rule = Rule(reading: filter, writing: filter)
        ofAllTypes = ofAllTypes.map(rule.and) ?? rule
    }

    static func check(_ filter: RecordFilter) throws {
        guard filter.hasCondition else { throw RecordError(.invalidRule, reason: "it has no condition") }
        guard filter.referredTypes.isEmpty else {
            throw RecordError(.invalidRule, reason: "it follows references, but may only name a value's own properties")
        }
    }

    private func knownRule(of type: String) -> Rule? {
        guard let all = ofAllTypes, !Record.ID.isReserved(type: type) else { return byType[type] }
        return byType[type].map { $0.and(all) } ?? all
    }

    func hasRule(of type: String) -> Bool { knownRule(of: type) != nil }

    func rule(of type: String, _ id: Record.ID? = nil) throws -> Rule {
        guard let rule = knownRule(of: type) else {
            throw RecordError(
                .outsideScope, reason: "the scope has no rule for records of the type '\(type)'", recordID: id)
        }
        return rule
    }

    func shows(_ record: Record) throws -> Bool {
        guard let rule = knownRule(of: record.id.type) else { return false }
        return try rule.reading?.matches(record) ?? true
    }

    func mayWrite(_ record: Record) throws -> Bool {
        let rule = try rule(of: record.id.type, record.id)
        return try !rule.isReadOnly && rule.writing?.matches(record) ?? true && rule.reading?.matches(record) ?? true
    }

    func checkMayWrite(_ record: Record) throws {
        guard try mayWrite(record) else {
            throw RecordError(.outsideScope, reason: "it may not be written", recordID: record.id)
        }
    }

    /// Adds the rules of the type, and those of each type that the filter follows references to.
    func restrict(_ query: RecordQuery) throws -> RecordQuery {
        var query = query
        let filter = try query.filter?.restrictingTargets { try rule(of: $0).reading }
        query.filter = .both(filter, try rule(of: query.recordType).reading)
        return query
    }
}

extension RecordFilter {
    fileprivate static func both(_ left: RecordFilter?, _ right: RecordFilter?) -> RecordFilter? {
        guard let left, let right else { return left ?? right }
        return .all([left, right])
    }
}

extension ScopeRules: CustomStringConvertible {
    /// The types with a rule.
    var description: String {
        (byType.keys.sorted() + (ofAllTypes == nil ? [] : ["all types"])).joined(separator: ", ")
    }
}
