import Testing

@testable import NestedRecords

/// The rules that have a feed show exactly the records of the audience, for all small records.
@Suite struct AudienceRuleTests {
    private static let values: [Record.Value?] = [
        nil, .null, "ann", "bo", "", ["ann"], ["bo", "ann", "ann"], [], ["bo"], true, false, 1, [["ann"]],
        .reference(Record.Reference(to: Record.ID(checkedType: "Project", name: "ann"))),
    ]

    private static let rules: [RecordFilter] = {
        let single: [RecordFilter] = [
            .compare("a", .equal, "ann"), .contains("a", "ann"), .compare("b", .equal, true),
        ]
        var rules = single
        for left in single { for right in single { rules.append(left || right) } }
        return rules + [(single[0] || single[1]) || single[2], single[2] || (single[1] || single[0])]
    }()

    @Test func audiencesAreTheirRules() throws {
        for rule in Self.rules {
            let audience = try #require(AudienceRule(rule, "ann"), "\(rule)")
            let view = AudienceView(reader: "ann", sources: ["Note": audience.sources], needs: [])
            let declared = RecordAudience("Note", readers: "a", everybody: "b")
            #expect(audience.needs(ofType: "Note").allSatisfy { $0.isMet(by: declared) }, "\(rule)")
            for first in Self.values {
                for second in Self.values {
                    var record = try Record(id: Record.ID("Note/1"), fields: [:])
                    if let first { record["a"] = first }
                    if let second { record["b"] = second }
                    let isShown = !Set(view.ownKeys).isDisjoint(with: declared.keys(of: record))
                    #expect(try isShown == rule.matches(record), "\(rule) for \(record)")
                }
            }
        }
    }

    @Test func otherRulesAreNotAudiences() {
        let anns = RecordFilter.compare("a", .equal, "ann")
        let others: [RecordFilter] = [
            .compare("a", .equal, "bo"), .compare("a", .notEqual, "ann"), .all([]), !anns, anns && .exists("b"),
            anns || .compare("c", .equal, "ann"), anns || .exists("b"), .compare("b", .equal, false), .any([]),
            .compare("b", .equal, true) || .compare("c", .equal, true), .hasElement("a", where: anns),
            .refers("p", to: "Project", where: anns) || .compare("b", .equal, true),
            .refers("p", to: "Project", where: .compare("b", .equal, true)),
            .refers("p", to: "Project", where: .refers("q", to: "Team", where: anns)),
        ]
        for rule in others { #expect(AudienceRule(rule, "ann") == nil, "\(rule)") }
        #expect(AudienceRule(.compare("a", .equal, "\u{E9}"), "e\u{301}") == nil)
    }

    @Test func containersNeedTheAudiencesOfBothTypes() throws {
        let rule = try #require(
            AudienceRule(.refers("project", to: "Project", where: .contains("members", "ann")), "ann"))
        #expect(rule.sources == [.container(ofType: "Project", isListed: true)])
        let declared = [
            RecordAudience("Visit", container: "project", ofType: "Project"),
            RecordAudience("Project", readers: "members"),
        ]
        #expect(zip(rule.needs(ofType: "Visit"), declared).allSatisfy { $0.isMet(by: $1) })
        #expect(rule.needs(ofType: "Visit").map(\.declaration) == declared.map(\.description))
    }

    @Test func declarationsAreRecords() throws {
        for audience in [
            RecordAudience("Note", readers: "readers", everybody: "is.public"),
            RecordAudience("Account", readers: .recordName), RecordAudience("Note", readers: "owner"),
            RecordAudience("Visit", container: "project", ofType: "Project"),
        ] {
            #expect(RecordAudience(audience.record) == audience && audience.problem == nil)
        }
        for audience in [
            RecordAudience("NestedRecords.Peer", readers: "owner"), RecordAudience("No te", readers: "owner"),
            RecordAudience("Note", readers: .changeTag), RecordAudience("Note", readers: "a", everybody: .recordName),
            RecordAudience("Visit", container: "visit", ofType: "Visit"),
            RecordAudience("Visit", container: .recordName, ofType: "Project"),
        ] {
            #expect(audience.problem != nil, "\(audience)")
        }
        #expect(RecordAudience(try Record(id: Record.ID("Note/1"), fields: ["field": ["a"]])) == nil)
    }
}
