import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct LinkTargetTests {
    private struct Project: RecordCodable, Identifiable, Equatable {
        var id: String
        var title = ""
        static let recordType = "LinkedProject"
    }

    private struct Job: RecordCodable, Identifiable, Equatable {
        var id: Int
        var project: RecordLink<Project>
        var others: [RecordLink<Project>] = []
        var done = false
        static let recordType = "LinkingJob"
    }

    private struct Board: RecordCodable, Identifiable, Equatable {
        var id: Int
        var first: Project
        var second: Project
        var linked: RecordLink<Project>?
        static let recordType = "LinkingBoard"
    }

    private func foreignLink() throws -> RecordLink<Project> { RecordLink(to: try Record.ID("User/ann")) }

    private var strict: RecordCoding {
        var coding = RecordCoding()
        coding.requiresLinkTargets = true
        return coding
    }

    @Test(arguments: [false, true]) func linkOwnsNothingAlsoIfItHoldsItsTarget(deletesRemovedRecords: Bool) async throws
    {
        let store = RecordStore(InMemoryRecordDatabase())
        var job = try await store.insert(Job(id: 1, project: try RecordLink(holding: Project(id: "a"))))
        job.project = try RecordLink(holding: Project(id: "b"))
        job = try await store.save(job, deletesRemovedRecords: deletesRemovedRecords)
        #expect(try await store.query(Project.self).sorted { $0.id }.all().map(\.id) == ["a", "b"])
        #expect(try await store.delete(job, .contents).map(\.description) == ["LinkingJob/1"])
        #expect(try await store.query(Project.self).count() == 2)
    }

    @Test func linkToARecordOfAnotherTypeIsRefused() async throws {
        let job = Job(id: 1, project: try RecordLink(named: "p"), others: [try foreignLink()])
        let encoding = #expect(throws: RecordError.self) { try RecordEncoder().encode(job) }
        #expect(encoding?.code == .typeMismatch)
        #expect(
            encoding?.description
                == "the record User/ann is not of the type Project, at 'others[0]' in record LinkingJob/1, field 'others'"
        )
        let record = try Record(
            id: Record.ID("LinkingJob/1"),
            fields: [
                "id": .int(1), "project": .reference(Record.Reference(to: Record.ID("User/ann"), isLink: true)),
                "others": .list([]), "done": .bool(false),
            ])
        let database = InMemoryRecordDatabase()
        try await database.commit(RecordBatch(saving: [record]))
        let decoding = await #expect(throws: RecordError.self) {
            try await database.values.fetch(Job.self, named: 1)
        }
        #expect(decoding?.code == .typeMismatch && decoding?.context.field == "project")
    }

    @Test func linkToARecordOfAnotherTypeIsRefusedInJSON() throws {
        let json = Data(#"{"id": 1, "project": "User/ann", "others": [], "done": false}"#.utf8)
        let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(Job.self, from: json) }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["project"])
        #expect(context.debugDescription == "User/ann is not a Project")
    }

    @Test func linkTargetsMustExistWhereTheCodingAsksForIt() async throws {
        let database = InMemoryRecordDatabase()
        let store = database.values(coding: strict)
        let (p, q) = (try RecordLink<Project>(named: "p"), try RecordLink<Project>(named: "q"))
        let error = await #expect(throws: RecordError.self) { try await store.insert(Job(id: 1, project: p)) }
        #expect(error?.code == .missingLinkTarget && error?.kind == .invalidInput)
        #expect(
            error?.description
                == "the target LinkedProject/p of a link does not exist, at 'project' in record LinkingJob/1, field "
                + "'project'")
        try await store.insert(Project(id: "p"))
        try await store.insert(Job(id: 1, project: p))
        await #expect(throws: RecordError.self) {
            try await store.update(Job.self, named: 1) { $0.others.append(q) }
        }
        await #expect(throws: RecordError.self) { try await store.change(Job.self, named: 1) { $0.project.set(q) } }
        await #expect(throws: RecordError.self) { try await store.overwrite(Job(id: 2, project: q)) }
        // A link that is stored already stays.
        try await store.delete(Project.self, named: "p", .dangling)
        try await store.update(Job.self, named: 1) { $0.done = true }
        #expect(try await store.query(Job.self).all().map(\.value) == [Job(id: 1, project: p, done: true)])
        // The target may be part of the same save.
        try await store.insert(Job(id: 3, project: try RecordLink(holding: Project(id: "held"))))
        // Without the option, a target may come later.
        try await database.values.insert(Job(id: 4, project: q))
    }

    @Test(arguments: ["other", "first"])
    func valueInHandIsWhatIsStoredBesidesACheckedLink(_ target: String) async throws {
        let database = InMemoryRecordDatabase()
        let store = database.values(coding: strict)
        try await store.insert(Project(id: "other"))
        var board = try await store.insert(Board(id: 1, first: Project(id: "first"), second: Project(id: "second")))
        // Another writer changes a record that this save does not touch.
        try await store.update(Project.self, named: "first") { $0.title = "new" }
        board.linked = try RecordLink(named: target)
        board.second.title = "mine"
        try await store.save(&board)
        let stored = try await store.fetch(Board.self, named: 1)
        #expect(board.value == stored.value && board.entityTag == stored.entityTag)
    }

    @Test func targetsThatChangeDoNotPreventASave() async throws {
        let database = InMemoryRecordDatabase()
        let store = database.values(coding: strict)
        try await store.insert(Project(id: "p"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<200 { try await store.update(Project.self, named: "p") { $0.title = "\(number)" } }
            }
            group.addTask {
                for number in 0..<200 { try await store.insert(Job(id: number, project: try RecordLink(named: "p"))) }
            }
            try await group.waitForAll()
        }
        #expect(try await store.query(Job.self).count() == 200)
    }
}
