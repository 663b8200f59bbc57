import TestSupport
import Testing

@testable import NestedRecords

/// Rules by container, for all small records and containers.
///
/// The model of the tests looks at the fields of the records itself.
@Suite struct ContainerRuleTests {
    private static let first = Record.ID(checkedType: "Project", name: "1")
    private static let second = Record.ID(checkedType: "Project", name: "2")

    private static func reference(_ id: Record.ID) -> Record.Value { .reference(Record.Reference(to: id)) }

    /// What may be in the property that refers to the container.
    private static let values: [Record.Value?] = [
        nil, .null, "Project/1", reference(first), reference(second),
        reference(Record.ID(checkedType: "Project", name: "missing")),
        reference(Record.ID(checkedType: "Team", name: "1")), [], [reference(first)],
        [reference(second), reference(first)], ["Project/1", .null], [[reference(first)]],
    ]

    /// What may be in the members of a container; the outer nil for a container that does not exist.
    private static let members: [Record.Value??] = [
        .some(nil), .some(.null), "ann", [], ["ann"], ["bo"], ["bo", "ann"], ["bo", .null, 1], [["ann"]], nil,
    ]

    private static func anns(_ reader: String) -> RecordFilter {
        .refers("project", to: "Project", where: .contains("members", .string(reader)))
    }

    private static func project(_ id: Record.ID, _ members: Record.Value??) throws -> Record? {
        guard let members else { return nil }
        return try Record(id: id, fields: members.map { ["members": $0] } ?? [:])
    }

    private static func projects(_ members: Record.Value??...) throws -> [Record] {
        try zip([first, second], members).compactMap { try project($0, $1) }
    }

    private static func visit(_ name: String, _ value: Record.Value?) throws -> Record {
        try Record(id: Record.ID(type: "Visit", name: name), fields: value.map { ["project": $0] } ?? [:])
    }

    /// Whether one of the containers names the reader.
    private static func isMember(_ reader: String, of visit: Record, _ containers: [Record]) -> Bool {
        let references: [Record.Value] =
            switch visit["project"] {
            case .list(let elements)?: elements
            case let value?: [value]
            case nil: []
            }
        return containers.contains { container in
            guard references.contains(reference(container.id)), case .list(let names)? = container["members"]
            else { return false }
            return names.contains(.string(reader))
        }
    }

    private static func rules() throws -> ScopeRules {
        var rules = ScopeRules()
        rules.add(try ScopeRules.Rule(reading: anns("ann"), writing: anns("bo")), to: "Visit")
        rules.add(.shared, to: "Project")
        return rules
    }

    @Test func rulesByContainerHoldForAllSmallRecords() throws {
        let rules = try Self.rules()
        var (shownCount, writtenCount) = (0, 0)
        for left in Self.members {
            for right in Self.members {
                let containers = try Self.projects(left, right)
                let known = Dictionary(uniqueKeysWithValues: containers.map { ($0.id, $0) })
                for value in Self.values {
                    let visit = try Self.visit("1", value)
                    let isShown = Self.isMember("ann", of: visit, containers)
                    let isWritten = isShown && Self.isMember("bo", of: visit, containers)
                    #expect(try rules.shows(visit, known) == isShown, "\(visit), \(containers)")
                    #expect(try rules.mayWrite(visit, known) == isWritten, "\(visit), \(containers)")
                    // A rule looks only at the containers that it names.
                    let named = rules.containers(of: [visit])
                    #expect(try rules.shows(visit, known.filter { named.contains($0.key) }) == isShown, "\(visit)")
                    #expect(try !rules.shows(visit, [:]))
                    (shownCount, writtenCount) = (shownCount + (isShown ? 1 : 0), writtenCount + (isWritten ? 1 : 0))
                }
            }
        }
        #expect(shownCount > writtenCount && writtenCount > 0)
    }

    @Test func restrictedQueriesFindTheShownRecordsOfAllSmallContainers() async throws {
        let rules = try Self.rules()
        for left in Self.members {
            for right in Self.members {
                let containers = try Self.projects(left, right)
                let visits = try Self.values.enumerated().map { try Self.visit("\($0)", $1) }
                let database = InMemoryRecordDatabase()
                try await database.commit(RecordBatch(saving: containers + visits))
                for query in [RecordQuery("Visit"), RecordQuery("Visit", where: .exists("project"))] {
                    let found = try await database.page(rules.restrict(query)).records.map(\.id)
                    let shown = try visits.filter {
                        try Self.isMember("ann", of: $0, containers) && query.filter?.matches($0) ?? true
                    }
                    #expect(Set(found) == Set(shown.map(\.id)) && found.count == shown.count, "\(query), \(containers)")
                }
            }
        }
    }

    /// The values of the audiences say the same as the rule, except of lists of containers, which have no audience.
    @Test func audiencesByContainerAreTheirRules() throws {
        let rules = try Self.rules()
        let audiences = [
            RecordAudience("Visit", container: "project", ofType: "Project"),
            RecordAudience("Project", readers: "members"),
        ]
        let view = try rules.view(of: "ann")
        #expect(view.needs.allSatisfy { need in audiences.contains { need.isMet(by: $0) } })
        let memberKeys = Set(view.memberships.keys)
        for members in Self.members {
            let containers = try Self.projects(members)
            let known = Dictionary(uniqueKeysWithValues: containers.map { ($0.id, $0) })
            let joined = containers.filter { !memberKeys.isDisjoint(with: audiences[1].keys(of: $0)) }
            let contents = Set(joined.map { AudienceKey("Visit", .container, $0.id.description) })
            for value in Self.values {
                if case .list? = value { continue }
                let visit = try Self.visit("1", value)
                let isShown = !contents.isDisjoint(with: audiences[0].keys(of: visit))
                #expect(try isShown == rules.shows(visit, known), "\(visit), \(containers)")
            }
        }
    }
}
