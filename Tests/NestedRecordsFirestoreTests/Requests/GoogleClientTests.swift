#if canImport(Glibc)
import Foundation
import NestedRecordsFirestore
import NestedRecordsHTTP
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords

/// Google's own client for Python as a reader and a writer of the same documents.
struct GoogleClientTests {
    /// A Python with the client, which `Scripts/check-firestore` makes.
    private static let python = ProcessInfo.processInfo.environment["FIRESTORE_CLIENT_PYTHON"]

    private static var script: String {
        // Tests/NestedRecordsFirestoreTests/Requests/GoogleClientTests.swift
        (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            .appending(path: "Scripts/check-firestore").path
    }

    @Test(.enabled(if: python != nil, "Scripts/check-firestore runs it"))
    func clientOfGoogleReadsAndWritesTheSame() async throws {
        let python = try #require(Self.python)
        let server = StandInServer()
        let transport = StandInTransport(server)
        let database = try FirestoreRecordDatabase(
            project: "test", access: .emulator(host: "127.0.0.1"), transport: transport)
        let records = try await Self.save(in: database)
        try await Self.read(from: database)

        let folder = try TemporaryFolder()
        var lines = ""
        for request in transport.sent.withLock({ $0 }) {
            let body = String(decoding: try await request.body.bytes() ?? [], as: UTF8.self)
            lines += "\(request.path.split(separator: ":").last ?? "") \(body)\n"
        }
        let path = folder.path("bodies")
        try lines.write(toFile: path, atomically: true, encoding: .utf8)
        let socket = try SocketServer { await server.respond(to: $0) }
        defer { socket.close() }
        // In a thread of its own: the server needs those of Swift's pool.
        let said = try await Promise<String>.result { promise in
            Thread.detachNewThread {
                promise.resume(
                    with: Result { try Article.output(of: python, [Self.script, "judge", socket.host, path]) })
            }
        }
        print(said)
        #expect(said.contains("\"documents\": \(records.count)}"))

        for record in records {
            let id = try Record.ID(type: "Copy", name: record.id.name)
            var copy = try #require(try await database.record(for: id))
            copy = try Record(id: record.id, fields: copy.fields)
            #expect(copy.isIdentical(to: try Record(id: record.id, fields: record.fields)))
        }
        let known = try #require(try await database.record(for: Record.ID("Known/a")))
        let other = try #require(try await database.record(for: Record.ID("Known/b")))
        for field in known.fields where field.name != "owner" { #expect(other[field.name] == field.value) }
        #expect(other["vector"] == ["$vector": [.double(1.5), .double(-2)]])
        #expect(other.fields.count == known.fields.count + 1)
        if case .date(let date)? = other["time"] { #expect(abs(date.timeIntervalSinceNow) < 3_600) }
    }

    /// Saves records in requests of all kinds.
    private static func save(in database: FirestoreRecordDatabase) async throws -> [Record] {
        var random = RandomRecord(seed: Sweep.seed)
        let records = try (0..<300).map { number in
            var record = try Record(id: Record.ID("Sample/\(number)"), fields: random.record().fields)
            for (name, value) in record.fields
            where value.contains(where: { inner, _ in inner == .serverTimestamp }) { record[name] = nil }
            return record
        }
        try await database.commit(RecordBatch(saving: records))
        let date = try #require(Date(recordString: "2014-10-02T15:01:23.045123Z"))
        let known = try Record(
            id: Record.ID("Known/a"),
            fields: [
                "text": "é", "number": .int(.min), "ratio": .double(0.5), "flag": true, "nothing": .null,
                "bytes": .bytes(Data([0, 255])), "place": .location(try Location(latitude: 57.05, longitude: -5.13)),
                "list": [1, "a", ["b": []]], "date": .date(date), "map": ["inner": "x"],
                "owner": .reference(Record.Reference(to: records[0].id, action: .deleteSelf)),
            ])
        var batch = RecordBatch(saving: [known])
        batch.conditions = [
            RecordBatch.VersionedID(try Record.ID("Known/none"), version: .missing),
            RecordBatch.VersionedID(records[1].id, version: .exists),
        ]
        try await database.commit(batch)
        let timed = try Record(id: Record.ID("Timed/a"), fields: ["time": .serverTimestamp, "x": [.serverTimestamp]])
        let saved = try await database.commit(RecordBatch(saving: [timed], savePolicy: .overwrite))
        let version = RecordBatch.Version.changeTag(try #require(saved[timed.id]?.changeTag))
        var deletion = RecordBatch()
        deletion.deletions = [RecordBatch.VersionedID(timed.id, version: version)]
        try await database.commit(deletion)
        return records
    }

    /// Reads with requests of all kinds.
    private static func read(from database: FirestoreRecordDatabase) async throws {
        let filters: [RecordFilter] = [
            .compare("text", .equal, "é"), .compare("number", .less, 3),
            .compare("date", .atLeast, .date(.distantPast)),
            .isAny("text", of: ["a", "é"]), .contains("list", 1), .hasPrefix("text", "é"), .isNull("nothing"),
            .all([.compare("flag", .equal, true), .compare("ratio", .equal, .double(0.5))]),
            .compare("map.inner", .equal, "x"),
        ]
        for filter in filters {
            #expect(try await database.page(RecordQuery("Known", where: filter)).records.count == 1, "\(filter)")
        }
        for isDescending in [false, true] {
            let query = RecordQuery(
                "Known", where: .compare("ratio", .less, 1), order: [RecordOrder("ratio", isDescending: isDescending)],
                limit: 1)
            #expect(try await database.page(query).records.count == 1)
        }
        #expect(try await database.count(RecordQuery("Known", where: .compare("text", .equal, "é"))) == 1)
        let summaries = try await database.summaries(of: RecordQuery("Known"), field: "number", groupedBy: nil)
        #expect(summaries.first?.sum == .int(.min))
        let first = try Record.ID("Sample/0")
        #expect(try await database.referrers(of: [first])[first]?.count == 1)
        #expect(try await database.count(RecordQuery("Sample")) == 300)
        #expect(try await database.page(RecordQuery("Sample", limit: 10)).records.count == 10)
        #expect(try await database.versions(ofType: "Sample", after: "1", limit: 3).count == 3)
        #expect(try await database.records(for: [first, Record.ID("Known/a")]).count == 2)
    }
}
#endif
