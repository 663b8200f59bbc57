import NestedRecordsFirestore
import NestedRecordsHTTP
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords

struct CommitTests {
    private func record(_ name: String = "a", _ number: Int64 = 1) throws -> Record {
        try Record(id: Record.ID(type: "School", name: name), fields: ["number": .int(number)])
    }

    private func faults(_ set: (inout StandInTransport.Faults) -> Void) -> StandInTransport.Faults {
        var faults = StandInTransport.Faults()
        set(&faults)
        return faults
    }

    @Test func lostAnswerIsSettledByTheMarkOfTheSave() async throws {
        let server = StandInServer()
        // The marks are read in spite of the same losses.
        let faulty = try database(server, faults: faults { $0.lostAnswers = 0.4 })
        for policy in [SavePolicy.ifUnchanged, .overwrite] {
            for number in 0..<20 {
                let name = "\(policy) \(number)"
                let metadata = try await faulty.commit(RecordBatch(saving: [try record(name)], savePolicy: policy))
                let found = try await database(server).record(for: record(name).id)
                #expect(found?.metadata == metadata.values.first)
            }
        }
    }

    @Test func requestThatArrivesTwiceIsAppliedOnce() async throws {
        let server = StandInServer()
        let faulty = try database(server, faults: faults { $0.doubledRequests = 1 })
        let metadata = try await faulty.commit(RecordBatch(saving: [try record()]))
        #expect(try await database(server).record(for: record().id)?.metadata == metadata.values.first)
    }

    @Test func lostAnswerWithoutMarkIsUnknownOutcomeForOverwrite() async throws {
        let transport = Lost(base: StandInTransport(StandInServer()))
        let database = try FirestoreRecordDatabase(
            project: "test", access: .emulator(host: "127.0.0.1"), transport: transport)
        let overwriting = RecordBatch(saving: [try record()], savePolicy: .overwrite)
        #expect(await databaseErrorCode { try await database.commit(overwriting) } == .unknownOutcome)
        let inserting = RecordBatch(saving: [try record()])
        #expect(await databaseErrorCode { try await database.commit(inserting) } == .unknownOutcome)
        // An insert is sent three times.
        #expect(transport.base.sent.withLock { $0.count { $0.path.hasSuffix(":commit") } } == 4)
    }

    @Test func errorInAListAndCutListAreErrors() async throws {
        let server = StandInServer()
        let ids = try (0..<5).map { try record("\($0)").id }
        try await database(server).commit(RecordBatch(saving: try (0..<5).map { try record("\($0)") }))
        for faults in [faults { $0.errorsInLists = 1 }, faults { $0.cutAnswers = 1 }] {
            let faulty = try database(server, faults: faults)
            #expect(await databaseErrorCode { _ = try await faulty.records(for: ids) } == .connectionLost)
            let query = RecordQuery("School", where: .compare("number", .equal, 1))
            #expect(await databaseErrorCode { _ = try await faulty.page(query) } == .connectionLost)
        }
    }

    @Test func cutAnswerAboutAConflictIsNotARefusal() async throws {
        let server = StandInServer()
        try await database(server).commit(RecordBatch(saving: [try record()]))
        let faulty = try database(server, faults: faults { $0.cutAnswers = 0.3 })
        for _ in 0..<20 {
            let code = await databaseErrorCode { try await faulty.commit(RecordBatch(saving: [record()])) }
            #expect(code == .conflict || code == .unknownOutcome)
        }
    }

    @Test func tokenThatIsRefusedIsReplacedOnce() async throws {
        let refused = Lock<[String?]>([])
        let access = try FirestoreAccess.token { token in
            refused.withLock { $0.append(token) }
            return token == nil ? "old" : "owner"
        }
        let database = try FirestoreRecordDatabase(
            project: "test", access: access, transport: StandInTransport(StandInServer()))
        #expect(try await database.records(for: [record().id]).isEmpty)
        #expect(refused.withLock { $0 } == [nil, "old"])
        let other = try FirestoreRecordDatabase(
            project: "test", access: .token { _ in "secret" }, transport: StandInTransport(StandInServer()))
        do {
            _ = try await other.records(for: [record().id])
            Issue.record("the token was taken")
        } catch let error as RecordDatabaseError {
            #expect(error.code == .notSignedIn && !"\(error)".contains("secret"))
        }
    }

    @Test func recordThatIsTooLargeNamesItsLargestField() async throws {
        var large = try record()
        large["text"] = .string(String(repeating: "a", count: 1 << 20))
        do {
            try await database(StandInServer()).commit(RecordBatch(saving: [large]))
            Issue.record("the record was taken")
        } catch let error as RecordDatabaseError {
            #expect(error.code == .recordTooLarge && error.context.field == "text")
        }
    }

    /// Loses each commit on its way.
    private struct Lost: RecordHTTPTransport {
        let base: StandInTransport

        func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
            if request.path.hasSuffix(":commit") {
                base.sent.withLock { $0.append(request) }
                throw RecordDatabaseError(.connectionLost)
            }
            return try await base.send(request, deadline: deadline)
        }
    }
}
