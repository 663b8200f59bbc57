import TestSupport
import Testing

@testable import NestedRecords

@Suite struct DeletionPlanTests {
    /// A school with two classes; a pupil who belongs to both, and a friend who does not belong to the school.
    private func makeRecords() throws -> [Record] {
        [
            try Flat.record("School/s", ["classes": Flat.references(["Class/1", "Class/2"])]),
            try Flat.owned("Class/1", ["school": "School/s"]), try Flat.owned("Class/2", ["school": "School/s"]),
            try Flat.record(
                "Pupil/p", ["classes": .list([.null, Flat.owner("Class/2"), Flat.owner("Class/1")])]),
            try Flat.record("Friend/f", ["friends": .map(["é": Flat.reference("Pupil/p")])]),
        ]
    }

    private func plan(for ids: [String], _ options: DeletionOptions = .cascading) async throws -> DeletionPlan {
        try await InMemoryRecordDatabase.holding(makeRecords()).deletionPlan(for: Flat.ids(ids), options)
    }

    @Test func planWithoutArgumentsIsThatOfADeletionWithoutArguments() async throws {
        let id = try Record.ID("School/s")
        let one = try await InMemoryRecordDatabase.holding(makeRecords())
        let plan = try await one.deletionPlan(for: [id])
        #expect(plan.dangling.map(\.context.record?.description) == ["Class/1", "Class/2"])
        #expect(try await one.delete([id], .dangling) == plan.ids)
        let several = try await InMemoryRecordDatabase.holding(makeRecords())
        #expect(try await several.deletionPlan(for: [id]).ids == several.delete([id], .dangling))
        #expect(plan.ids == [id])
    }

    @Test(arguments: [
        ("Pupil/p", ["Pupil/p .classes[2]", "Class/1 .school", "School/s ."]), ("School/s", ["School/s ."]),
        ("Friend/f", []),
    ]) func chainLeadsToTheRecordThatWasAskedFor(id: String, chain: [String]) async throws {
        let plan = try await plan(for: ["School/s"])
        #expect(try plan.chain(from: Record.ID(id)).map { "\($0.record) .\($0.path)" } == chain)
    }

    @Test func whatIsOwnedComesBeforeItsOwnerAlsoWhereThatOnePointsBack() async throws {
        let ids = try await plan(for: ["School/s"]).ids.map(\.description)
        #expect(ids == ["Pupil/p", "Class/2", "Class/1", "School/s"])
    }

    @Test func recordWithTwoOwnersComesBeforeBothAlsoInARing() async throws {
        let database = try await InMemoryRecordDatabase.holding([
            Flat.record("A/1", ["all": Flat.references(["A/2", "A/3"])]),
            Flat.owned("A/2", ["owner": "A/1", "other": "A/3"]), Flat.owned("A/3", ["owner": "A/1"]),
        ])
        let plan = try await database.deletionPlan(for: [Record.ID("A/1")], .cascading)
        #expect(plan.ids.map(\.description) == ["A/2", "A/3", "A/1"])
    }

    @Test func requestedRecordIsMissingForItsOwner() async throws {
        let plan = try await plan(for: ["School/s", "Class/2"])
        #expect(try plan.chain(from: Record.ID("Class/2")).map(\.record) == Flat.ids(["Class/2"]))
    }

    @Test func planReportsReferencesThatWouldDangle() async throws {
        let plan = try await plan(for: ["School/s"])
        #expect(plan.dangling.map(\.target) == (try Flat.ids(["Pupil/p"])))
        #expect(plan.dangling.map(\.context.keys) == [["friends", "é"]])
        #expect(plan.dangling.map(\.context.steps) == [["Friend/f.friends.é"]])
        #expect(plan.dangling.first?.context.record == (try Record.ID("Friend/f")))
        #expect(plan.dangling.first?.context.field == "friends")
    }

    @Test func withoutCascadingOwnedRecordsStayAndDangle() async throws {
        let plan = try await plan(for: ["Class/1"], .dangling)
        #expect(plan.ids == (try Flat.ids(["Class/1"])))
        #expect(
            plan.dangling.map { "\($0)" }.sorted() == [
                "there is no record Class/1, which is referred to at 'classes[0]' in record School/s, field 'classes'",
                "there is no record Class/1, which is referred to at 'classes[2]' in record Pupil/p, field 'classes'",
            ])
    }

    @Test func missingRecordsAreReportedOnce() async throws {
        let plan = try await plan(for: ["Class/9", "Friend/f", "Class/9", "Friend/f"])
        #expect(try plan.ids == Flat.ids(["Friend/f"]) && plan.missing == Flat.ids(["Class/9"]))
    }

    @Test func whatAMissingRecordOwnedGoesToo() async throws {
        let database = try await InMemoryRecordDatabase.holding([Flat.owned("A/2", ["owner": "A/1"])])
        let plan = try await database.deletionPlan(for: [Record.ID("A/1")], .cascading)
        #expect(try plan.missing == Flat.ids(["A/1"]) && plan.ids == Flat.ids(["A/2"]))
        #expect(try plan.chain(from: Record.ID("A/2")).map(\.record) == Flat.ids(["A/2", "A/1"]))
        #expect(try plan.chain(from: Record.ID("A/1")).isEmpty)
    }

    @Test func emptyPlanDeletesNothing() async throws {
        let plan = try await plan(for: [])
        #expect(plan.ids.isEmpty && plan.dangling.isEmpty && plan.description == "0 records to delete")
    }

    @Test func planOfRequestedRecordsAloneSaysOnlyTheirNumber() async throws {
        let database = try await InMemoryRecordDatabase.holding([Flat.record("A/1"), Flat.record("A/2")])
        let plan = try await database.deletionPlan(for: Flat.ids(["A/1", "A/2"]))
        #expect(plan.description == "2 records to delete: A/1, A/2")
    }

    @Test func ringsAreDeletedOnce() async throws {
        let database = try await InMemoryRecordDatabase.holding([
            Flat.owned("A/1", ["next": "A/2"]), Flat.owned("A/2", ["next": "A/1"]),
            Flat.owned("B/1", ["self": "B/1"]), Flat.owned("C/1", ["owner": "A/2"]),
        ])
        let plan = try await database.deletionPlan(for: [Record.ID("A/2")], .cascading)
        #expect(plan.ids.map(\.description) == ["C/1", "A/1", "A/2"])
    }

    @Test func namesAreComparedByteByByte() async throws {
        let (one, two) = ("A/\u{E9}", "A/e\u{301}")
        let database = try await InMemoryRecordDatabase.holding([
            Flat.record(one), Flat.record(two), Flat.owned("B/漢字", ["owner": two]),
        ])
        #expect(try await database.deletionPlan(for: [Record.ID(one)], .cascading).ids == Flat.ids([one]))
        #expect(try await database.deletionPlan(for: [Record.ID(two)], .cascading).ids == Flat.ids(["B/漢字", two]))
    }

    @Test func descriptionSaysEverythingInAFewLines() async throws {
        let records = try (1...5).map { try Flat.record("Z/\($0)", ["to": Flat.reference("A/1")]) }
        let ring = [try Flat.owned("A/1", ["next": "A/2"]), try Flat.owned("A/2", ["next": "A/1"])]
        let database = try await InMemoryRecordDatabase.holding(ring + records)
        let plan = try await database.deletionPlan(for: Flat.ids(["A/1", "A/9"]), [.cascading, .dangling])
        #expect(
            plan.description == """
                2 records to delete, 1 of them as requested: A/2, A/1
                missing: A/9
                would dangle: Z/1 refers to A/1 at 'to'
                would dangle: Z/2 refers to A/1 at 'to'
                would dangle: Z/3 refers to A/1 at 'to'
                2 more references would dangle
                """)
    }
}
