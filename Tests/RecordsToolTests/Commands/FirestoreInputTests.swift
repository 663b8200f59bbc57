// With the tests of package traits, which run one after the other: the tool waits for the server of the test.
#if canImport(Glibc) && PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords
@testable import records

/// The tool with the address of a database in Firestore.
@Suite struct FirestoreInputTests {
    /// Calls a closure that waits for processes, in a thread of its own: the server needs those of Swift's pool.
    private func withServer(
        _ body: @escaping @Sendable (ToolFolder, StandInServer, _ records: String) throws -> Void
    ) async throws {
        let server = StandInServer()
        let socket = try SocketServer { await server.respond(to: $0) }
        defer { socket.close() }
        try await Promise<Void>.result { promise in
            Thread.detachNewThread {
                promise.resume(
                    with: Result {
                        try body(try SchoolFile.folder(), server, "FIRESTORE_EMULATOR_HOST=\(socket.host) records")
                    })
            }
        }
    }

    @Test func firestoreIsReadAndWritten() async throws {
        try await withServer { folder, server, records in
            let url = "firestore://test"
            let said = try folder.output("records copy school.records - | \(records) copy - \(url)")
            #expect(said.hasPrefix("saved 6 records in \(url)\n"))
            #expect(server.fields("Book/1") != nil)
            #expect(
                try folder.output("\(records) query \(url) Book --where 'title ~ atlas' --ids") == "Book/1\n")
            // A document has no order of its fields.
            let sorted = "nest FILE Student/bo | tr -d ' ,' | sort"
            #expect(
                try folder.output("\(records) \(sorted.replacing("FILE", with: url))")
                    == folder.output("records \(sorted.replacing("FILE", with: "school.records"))"))
            #expect(try folder.output("\(records) get \(url) School/hilltop --tree").contains("Student/bo"))
            #expect(try folder.output("\(records) get \(url) Book/2").contains("Stars"))
            #expect(try folder.output("\(records) ls \(url)").contains("Book"))
            #expect(try folder.output("\(records) ls \(url) --sizes").contains("Student"))
            #expect(try folder.output("\(records) copy \(url) - | grep -vc NestedRecords.Document") == "6\n")
            #expect(try folder.output("\(records) verify \(url) --root School/hilltop") == "6 records, no problems\n")
            #expect(try folder.output("\(records) diff school.records \(url)") == "")
        }
    }

    @Test func recordsInFirestoreAreEdited() async throws {
        try await withServer { folder, server, records in
            let url = "firestore://test/(default)/users/ann"
            _ = try folder.output("\(records) copy school.records '\(url)'")
            #expect(server.fields("users/ann/Book/1") != nil && server.fields("Book/1") == nil)
            try folder.write("#!/bin/sh\nsed -i 's/Atlas/Map/' \"$1\"\n", to: "editor")
            for (command, place) in [(records, "'\(url)'"), ("records", "school.records")] {
                _ = try folder.output("\(command) set \(place) Book/2 title=Moons")
                _ = try folder.output("chmod +x editor; EDITOR=./editor \(command) edit \(place) Book/1")
                _ = try folder.output("\(command) delete \(place) Student/bo --dangling --yes")
            }
            #expect(try folder.output("\(records) diff '\(url)' school.records") == "")
            #expect(try folder.output("\(records) get '\(url)' Book/2").contains("Moons"))
            let copy = try folder.output("\(records) copy '\(url)' copy.records")
            #expect(copy.hasPrefix("5 records copied from firestore://test/(default)/users/ann to copy.records\n"))
            #expect(try folder.output("records diff copy.records school.records") == "")
        }
    }

    @Test func collectionsHaveTheNamesOfTheAddress() async throws {
        try await withServer { folder, server, records in
            let url = "'firestore://test?collection=Book:books&collection=Person:m%C3%A4nner%26co'"
            let said = try folder.output("\(records) copy school.records \(url)")
            #expect(said.hasPrefix("6 records copied from"))
            #expect(server.fields("books/1") != nil && server.fields("Book/1") == nil)
            #expect(try folder.output("\(records) ls \(url)").contains("Book"))
            #expect(try folder.output("\(records) diff school.records \(url)") == "")
            #expect(server.state.withLock { $0.documents.keys.contains { $0.text.contains("/männer&co/") } })
        }
    }

    @Test func typesOfTheAddressAreNotListed() async throws {
        try await withServer { folder, server, records in
            _ = try folder.output("\(records) copy school.records firestore://test")
            let listed = server.counts.withLock { $0["listCollectionIds"] }
            let lines = try folder.output("\(records) copy 'firestore://test?type=Book&type=School' -")
            for (type, isCopied) in [("Book", true), ("School", true), ("Student", false)] {
                #expect(lines.contains("{\"id\":\"\(type)/") == isCopied, "\(lines)")
            }
            #expect(server.counts.withLock { $0["listCollectionIds"] } == listed)
        }
    }

    @Test func copyOfManyRecordsTakesAsFewRequestsAsItsPages() async throws {
        try await withServer { folder, server, records in
            let lines = (0..<2_500).map { "{\"id\":\"A/\($0)\",\"fields\":{\"n\":\($0)}}\n" }.joined()
            try folder.write(lines, to: "lines.jsonl")
            _ = try folder.output("records copy lines.jsonl a.records")
            #expect(
                try folder.output("\(records) copy a.records firestore://test").hasPrefix("2,500 records copied"))
            // One for the opening, one for a journal, three pages, which are read, saved and read again, and counts of the one type.
            #expect(
                server.counts.withLock { $0 } == [
                    "runAggregationQuery": 2, "batchGet": 6, "commit": 3, "listCollectionIds": 1, "runQuery": 1,
                ])
        }
    }

    @Test func linesThatOneCommitDoesNotTakeNeedBatches() async throws {
        try await withServer { folder, server, records in
            let lines = (0...10_000).map { "{\"id\":\"A/\($0)\",\"fields\":{\"n\":\($0)}}\n" }.joined()
            try folder.write(lines, to: "lines.jsonl")
            let refused = try folder.run("\(records) copy lines.jsonl firestore://test")
            #expect(
                refused
                    == .error("the batch has 10001 records, the database takes 10000 at a time"))
            #expect(server.counts.withLock { $0["commit"] } == nil)
            let said = try folder.output("\(records) copy lines.jsonl firestore://test --batch 5000")
            #expect(said.hasPrefix("saved 10,001 records in firestore://test\n"))
            #expect(server.counts.withLock { $0["commit"] } == 3)
        }
    }

    @Test func changesInAJournalAreSynchronized() async throws {
        try await withServer { folder, server, records in
            let url = "'firestore://test?journal'"
            _ = try folder.output("\(records) sync school.records \(url)")
            _ = try folder.output("\(records) set \(url) Book/2 title=Moons")
            _ = try folder.output("\(records) sync school.records \(url)")
            #expect(try folder.output("records get school.records Book/2").contains("Moons"))
            let log = try folder.run("\(records) log \(url)")
            #expect(log.status == 0 && log.output.contains("saved Book/2"))
            let ls = try folder.output("\(records) ls \(url)")
            #expect(ls.contains("Book") && !ls.contains("NRJournal"))
            #expect(server.state.withLock { $0.documents.keys.contains { $0.text.contains("/NRJournal/") } })
            let without = try folder.run("\(records) set firestore://test Book/2 title=Suns")
            #expect(without.status != 0 && without.errors.contains("has a journal"), "\(without.errors)")
        }
    }

    @Test func whatFirestoreLacksIsRefused() async throws {
        try await withServer { folder, server, records in
            _ = try folder.output("\(records) copy school.records firestore://test")
            for command in ["log firestore://test --follow", "log firestore://test"] {
                let run = try folder.run("\(records) \(command)")
                #expect(run == .error("firestore://test: has no feed of changes"))
            }
            let count = try #require(server.counts.withLock { $0["commit"] })
            for (command, words) in [
                ("sync school.records firestore://test", "has no feed of changes"),
                ("sync firestore://test new.records", "has no feed of changes"),
                ("delete firestore://test Book/1 --yes", "--dangling"),
                ("index firestore://test Book title", "keeps no indexes"),
                ("compact firestore://test", "only record files are compacted"),
                ("ls firestore://other", "the database refused"),
            ] {
                let run = try folder.run("\(records) \(command)")
                #expect(run.status != 0 && run.errors.contains(words), "\(command): \(run.errors)")
            }
            #expect(server.counts.withLock { $0["commit"] } == count)
        }
    }

    @Test func accessIsNamed() throws {
        let folder = try ToolFolder()
        let bare = "env -u FIRESTORE_EMULATOR_HOST -u CLOUDSDK_AUTH_ACCESS_TOKEN -u GOOGLE_APPLICATION_CREDENTIALS"
        let none = try folder.run("\(bare) records ls firestore://test")
        #expect(
            none.status == 1 && none.errors.hasPrefix("records: firestore://test: needs a token; set CLOUDSDK_AUTH"))
        try folder.write("{}", to: "key.json")
        for name in ["key.json", "missing.json"] {
            let key = try folder.run("\(bare) GOOGLE_APPLICATION_CREDENTIALS=\(name) records ls firestore://test")
            #if OpenSSL
            let reason =
                name == "key.json" ? "the file is not that of a service account's key" : "cannot be read for the key"
            #else
            let reason = "has the key of a service account, with which this build cannot sign"
            #endif
            #expect(key.status == 1 && key.errors.hasPrefix("records: \(name): \(reason)"), "\(key.errors)")
        }
        let missing = try folder.run("FIRESTORE_EMULATOR_HOST=127.0.0.1:1 records ls firestore://test")
        #expect(missing.errors.contains("firestore://test: ") && missing.errors.contains("cannot be reached"))
    }

    @Test(arguments: [
        "ann@test", "test?schema=a", "test?collection=Book", "test?collection=Book:a&collection=Book:b",
        "test?access=all", "test?type", "test?type=a:b",
        "test?journal=%", "%FF", "test?collection=a:b:c",
    ])
    func malformedAddressIsRefused(_ address: String) async throws {
        let run = try await ToolRun.of(Records.program, ["ls", "firestore://\(address)"])
        #expect(run.status == 1 && run.errors.contains("is not the address of a Firestore database, such as "))
    }
}
#endif
