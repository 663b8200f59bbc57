// With the tests of package traits, which run one after the other: the tool waits for the server of the test.
#if canImport(Glibc) && PostgreSQL
import Foundation
import HTTPTestSupport
import NestedRecordsFile
import NestedRecordsHTTP
import TestSupport
import Testing

@testable import NestedRecords
@testable import records

/// The tool with the address of a service.
@Suite struct ServiceInputTests {
    /// Calls a closure that waits for processes, in a thread of its own: the server needs those of Swift's pool.
    private func withServer(_ body: @escaping @Sendable (ToolFolder, String) throws -> Void) async throws {
        let server = try SocketServer(
            RecordDatabaseService(
                options: .unhurried,
                access: { [memory = InMemoryRecordDatabase()] request in
                    guard request.headers["authorization"] == "Bearer secret" else {
                        throw RecordDatabaseError(.notSignedIn)
                    }
                    return RecordDatabaseService.Access(reader: "ann", database: memory)
                }))
        defer { server.close() }
        try await Promise<Void>.result { promise in
            Thread.detachNewThread {
                promise.resume(with: Result { try body(try SchoolFile.folder(), server.url.absoluteString) })
            }
        }
    }

    @Test func serviceIsReadAndWritten() async throws {
        try await withServer { folder, url in
            try folder.write("secret\n", to: "token")
            let token = "NESTEDRECORDS_TOKEN=secret"
            #expect(
                try folder.output("records copy school.records - | \(token) records copy - \(url)").hasPrefix(
                    "saved 6 records in \(url)\n"))
            #expect(
                try folder.output(
                    "NESTEDRECORDS_TOKEN_FILE=token records query \(url) Book --where 'title ~ atlas' --ids")
                    == "Book/1\n")
            #expect(
                try folder.output("\(token) records nest \(url) Student/bo --compact")
                    == folder.output("records nest school.records Student/bo --compact"))
            #expect(try folder.output("\(token) records ls \(url)").contains("Book"))
            #expect(try folder.output("\(token) records diff school.records \(url)") == "")
        }
    }

    @Test func filesSynchronizeThroughAService() async throws {
        try await withServer { folder, url in
            let token = "NESTEDRECORDS_TOKEN=secret"
            _ = try folder.output("\(token) records sync school.records \(url)")
            _ = try folder.output("\(token) records sync other.records \(url)")
            #expect(
                try folder.output("records nest other.records School/hilltop --compact")
                    == folder.output("records nest school.records School/hilltop --compact"))
        }
    }

    @Test func refusalsOfAServiceAreErrors() async throws {
        try await withServer { folder, url in
            let refused = try folder.run("records ls \(url)")
            #expect(refused.status != 0 && refused.errors.contains("needs a caller who is signed in"))
            let user = try folder.run("records ls \(url.replacing("//", with: "//ann:secret@"))")
            #expect(user.status != 0 && user.errors.contains("NESTEDRECORDS_TOKEN") && !user.errors.contains("secret"))
            let query = try folder.run("records ls '\(url)?schema=a'")
            #expect(query.status != 0 && query.errors.contains("is not the address of a service"))
            let index = try folder.run("NESTEDRECORDS_TOKEN=secret records index \(url) Book title")
            #expect(index.status != 0 && index.errors.contains("keeps no indexes"))
            #expect(try folder.run("records ls http://127.0.0.1:1/").errors.contains("cannot be reached"))
        }
    }
}
#endif
