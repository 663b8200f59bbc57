import HTTPTestSupport
import NestedRecords
import NestedRecordsHTTP
import NestedRecordsSync
import TestSupport
import Testing

/// How many requests a task needs.
@Suite struct RequestCountTests {
    private struct Book: RecordCodable, Identifiable {
        @RecordName var id: String
        var title: String
        static let recordType = "CountedBook"
    }

    private struct Student: RecordCodable, Identifiable {
        @RecordName var id: String
        var books: [Book]
        static let recordType = "CountedStudent"
    }

    private struct School: RecordCodable, Identifiable {
        @RecordName var id: String
        var students: [Student]
        static let recordType = "CountedSchool"
    }

    private let transport = JoinedTransport(RecordDatabaseService(of: InMemoryRecordDatabase(), options: .unhurried))

    private static let school = School(
        id: "school",
        students: (0..<50).map { student in
            Student(id: "\(student)", books: (0..<3).map { Book(id: "\(student) \($0)", title: "A Title") })
        })

    /// The calls of the requests since the last time.
    private func calls() -> [String] {
        transport.sent.withLock { sent in
            defer { sent = [] }
            return sent.map { String($0.path.split(separator: "/").last ?? "") }
        }
    }

    @Test func nestedFetchIsARequestForEachLevel() async throws {
        let store = RecordStore(RemoteRecordDatabase(transport))
        try await store.insert(Self.school)
        #expect(calls() == ["commit"])
        let school = try await store.fetch(School.self, named: "school")
        #expect(school.value.students.count == 50 && calls() == ["fetch", "fetch", "fetch"])
        try await store.update(Student.self, named: "7") { $0.books[0].title = "Another Title" }
        #expect(calls() == ["fetch", "fetch", "commit"])
        _ = try await store.query(Book.self).filter { $0.title == "Another Title" }.all()
        #expect(calls() == ["page"])
        #expect(try await store.query(Book.self).count() == 150 && calls() == ["count"])
    }

    @Test func quietRoundIsOneRequest() async throws {
        let phone = InMemoryRecordDatabase()
        let remote = RemoteRecordDatabase(transport)
        let sync = try RecordSync(phone, with: remote, named: "cloud")
        try await RecordStore(remote).insert(Self.school)
        // The second round sees the peer record that the first one has written.
        for _ in 0..<2 { try await sync.synchronize() }
        _ = calls()
        try await sync.synchronize()
        #expect(calls() == ["changes"])
        try await RecordStore(phone).update(Book.self, named: "7 0") { $0.title = "Another Title" }
        try await sync.synchronize()
        #expect(calls() == ["changes", "fetch", "commit"])
    }
}
