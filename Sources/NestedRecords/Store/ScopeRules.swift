/// The rules of a scope: which records are shown, which may be written, and how a query is restricted to them.
///
/// Invariants: what may be written is shown, and a restricted query finds the shown records among those of the query.
struct ScopeRules: Sendable {
    struct Rule: Sendable {
        /// Nil for all records.
        private(set) var reading: RecordFilter?
        private(set) var writing: RecordFilter?

        /// The containers that must satisfy conditions of their own.
        private(set) var readingContainers: [ContainerRule] = []
        private(set) var writingContainers: [ContainerRule] = []
        private(set) var isReadOnly = false

        /// All records, none to write.
        static let shared = Rule(isReadOnly: true)

        private init(isReadOnly: Bool) { self.isReadOnly = isReadOnly }

        init(reading: RecordFilter, writing: RecordFilter) throws {
            for filter in [reading, writing] where !filter.hasCondition {
                throw RecordError(.invalidRule, reason: "it has no condition")
            }
            (self.reading, readingContainers) = try Self.parts(of: reading)
            (self.writing, writingContainers) = try Self.parts(of: writing)
        }

        private static func parts(of filter: RecordFilter) throws -> (own: RecordFilter?, containers: [ContainerRule]) {
            if filter.referredTypes.isEmpty { return (filter, []) }
            guard let container = ContainerRule(filter) else {
                throw RecordError(
                    .invalidRule, reason: "it follows references, but may do so only as one condition on one container")
            }
            return (nil, [container])
        }

        /// The rule for reading as one filter of a query; nil for all records.
        var query: RecordFilter? { readingContainers.reduce(reading) { .both($0, $1.filter) } }

        fileprivate func and(_ other: Rule) -> Rule {
            var both = self
            (both.reading, both.writing) = (.both(reading, other.reading), .both(writing, other.writing))
            both.readingContainers += other.readingContainers
            both.writingContainers += other.writingContainers
            both.isReadOnly = isReadOnly || other.isReadOnly
            return both
        }
    }

    private var byType: [String: Rule] = [:]
    private var ofAllTypes: Rule?

    mutating func add(_ rule: Rule, to type: String) { byType[type] = byType[type].map(rule.and) ?? rule }

    mutating func addToAllTypes(_ filter: RecordFilter) throws {
        guard filter.referredTypes.isEmpty else {
            throw RecordError(.invalidRule, reason: "it follows references, but may only name a value's own properties")
        }
        let rule = try Rule(reading: filter, writing: filter)
        ofAllTypes = ofAllTypes.map(rule.and) ?? rule
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

    /// Whether a record is inside.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - containers: Those of ``containers(of:)`` that exist, as they are at the same moment.
    func shows(_ record: Record, _ containers: [Record.ID: Record] = [:]) throws -> Bool {
        guard let rule = knownRule(of: record.id.type) else { return false }
        return try rule.reading?.matches(record) ?? true
            && rule.readingContainers.allSatisfy { try $0.holds(for: record, containers) }
    }

    func mayWrite(_ record: Record, _ containers: [Record.ID: Record] = [:]) throws -> Bool {
        let rule = try rule(of: record.id.type, record.id)
        return try !rule.isReadOnly && rule.writing?.matches(record) ?? true
            && rule.writingContainers.allSatisfy { try $0.holds(for: record, containers) } && shows(record, containers)
    }

    func checkMayWrite(_ record: Record, _ containers: [Record.ID: Record]) throws {
        guard try mayWrite(record, containers) else {
            throw RecordError(.outsideScope, reason: "it may not be written", recordID: record.id)
        }
    }

    /// Whether there are rules by container.
    var hasContainers: Bool { byType.values.contains { !($0.readingContainers + $0.writingContainers).isEmpty } }

    /// The types of the containers in rules.
    var containerTypes: Set<String> {
        Set(byType.values.flatMap { ($0.readingContainers + $0.writingContainers).map(\.type) })
    }

    /// The containers on which rules for these records depend.
    func containers(of records: some Sequence<Record>) -> Set<Record.ID> {
        var found: Set<Record.ID> = []
        for record in records {
            guard let rule = byType[record.id.type] else { continue }
            for container in rule.readingContainers + rule.writingContainers {
                found.formUnion(container.ids(in: record))
            }
        }
        return found
    }

    /// Adds the rules of the type, and those of each type that the filter follows references to.
    func restrict(_ query: RecordQuery) throws -> RecordQuery {
        var query = query
        let filter = try query.filter?.restrictingTargets { try rule(of: $0).query }
        query.filter = .both(filter, try rule(of: query.recordType).query)
        return query
    }
}

// MARK: The changes of a reader

extension ScopeRules {
    /// What a reader follows.
    ///
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` for a rule that is not an audience, a constant, or an
    ///   alternative of these.
    func view(of reader: String) throws -> AudienceView {
        if ofAllTypes != nil { throw Self.noFeed("a rule of all types is not about a reader") }
        var sources: [String: Set<AudienceView.Source>] = [:]
        var needs: [AudienceNeed] = []
        for (type, rule) in byType.sorted(by: { $0.key < $1.key }) {
            guard let filter = rule.query else {
                sources[type] = [.type]
                continue
            }
            guard let audience = AudienceRule(filter, reader) else {
                throw Self.noFeed("the rule for reading '\(type)' is not about a reader, or not about one alone")
            }
            sources[type] = audience.sources
            needs += audience.needs(ofType: type)
        }
        return AudienceView(reader: reader, sources: sources, needs: needs)
    }

    private static func noFeed(_ reason: String) -> RecordDatabaseError {
        RecordDatabaseError(
            .unsupported, reason: "the scope has no feed: \(reason)",
            hint: "compare one property with the reader, or follow the database itself")
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
