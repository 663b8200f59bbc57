#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// The audiences of records that two connections change at once.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLAudienceTests {
    private static let readers = ["ann", "bo", "cy"]

    private func note(_ name: String = "1", for readers: [String]) throws -> Record {
        let names = readers.map { Record.Value.string($0) }
        return try Record(id: Record.ID(type: "Note", name: name), fields: ["readers": .list(names)])
    }

    private func view(of reader: String) -> AudienceView {
        AudienceView(reader: reader, sources: ["Note": [.reader(isListed: true)]], needs: [])
    }

    /// The second writer replaces a version that did not exist when its batch was made.
    @Test(TestServer.isOneServer) func departuresAreThoseOfTheLockedVersion() async throws {
        try await withDatabase { database in
            try await database.declare(RecordAudience("Note", readers: "readers"))
            try await database.commit(RecordBatch(saving: [try note(for: ["ann"])], savePolicy: .overwrite))
            let token = AudienceToken(base: try await database.changeToken(of: view(of: "ann")))
            let catalog = try await database.readCatalog()
            var rows = BatchRows(catalog, writesFields: false)
            let metadata = Record.Metadata(changeTag: "7 1", creationDate: Date(), modificationDate: Date())
            let second = try note(for: ["bo"])
            try rows.add(second, metadata, expected: .any)
            let saving =
                database.tables.commit(rows, token: 7, isSystem: false, catalog)
                + database.tables.audienceStatements(of: rows)
            async let saved: Void = {
                _ = try await database.pool.execute(
                    saving + [Statement("wait", "SELECT pg_sleep(3)")], isRepeatable: false)
            }()
            try await Task.sleep(for: .milliseconds(700))
            let other = try database.another()
            async let savedNext: Void = {
                _ = try await other.commit(RecordBatch(saving: [try note(for: ["cy"])], savePolicy: .overwrite))
            }()
            var hasWaited = false
            for _ in 0..<200 where !hasWaited {
                hasWaited = try await database.waitingCount() > 0
                try await Task.sleep(for: .milliseconds(10))
            }
            try await saved
            try await savedNext
            #expect(hasWaited, "the second writer did not wait for the first one")
            for reader in ["ann", "bo"] {
                let page = try await database.changes(of: view(of: reader), since: token, limit: 10).changes
                #expect(page.departed == [second.id] && page.saved.isEmpty, "\(reader): \(page)")
            }
            let page = try await database.changes(of: view(of: "cy"), since: token, limit: 10).changes
            #expect(page.saved.map(\.id) == [second.id] && page.departed.isEmpty, "cy: \(page)")
            #expect(try await database.verify().isEmpty)
            await other.close()
        }
    }

    /// An older transaction holds back what was saved after a container was joined: the page that lists it is not the last one.
    @Test(TestServer.isOneServer) func listingBeforeAChangeThatWaitsIsNotComplete() async throws {
        try await withDatabase { database in
            func save(_ id: String, _ fields: Record.Fields) async throws {
                try await database.commit(RecordBatch(saving: [try Flat.record(id, fields)]))
            }
            try await database.declare(RecordAudience("Note", readers: "readers"))
            try await database.declare(RecordAudience("Project", readers: "members"))
            try await database.declare(RecordAudience("Visit", container: "project", ofType: "Project"))
            let view = AudienceView(
                reader: "ann",
                sources: [
                    "Note": [.reader(isListed: true)], "Project": [.reader(isListed: true)],
                    "Visit": [.container(ofType: "Project", isListed: true)],
                ], needs: [])
            let start = AudienceToken(base: try await database.changeToken(of: view))
            try await save("Visit/1", ["project": try Flat.reference("Project/p")])
            try await save("Project/p", ["members": ["ann"]])
            // The transactions of other tests hold back changes too.
            var joined = try await database.changes(of: view, since: start, limit: 10)
            while joined.changes.saved.isEmpty {
                joined = try await database.changes(of: view, since: joined.token, limit: 10)
            }
            async let held: Void = {
                _ = try await database.pool.execute(
                    [Statement("wait", "SELECT pg_current_xact_id()"), Statement("wait", "SELECT pg_sleep(2)")],
                    isRepeatable: false)
            }()
            try await Task.sleep(for: .milliseconds(700))
            try await save("Note/n", ["readers": ["ann"]])
            let listed = try await database.changes(of: view, since: joined.token, limit: 10)
            #expect(listed.changes.saved.map(\.id.name) == ["1"] && !listed.changes.isComplete, "\(listed)")
            try await held
            var (page, names) = (listed, [String]())
            while !page.changes.isComplete {
                page = try await database.changes(of: view, since: page.token, limit: 10)
                names += page.changes.saved.map(\.id.name)
            }
            #expect(names == ["n"])
        }
    }

    /// Two writers save, hand over and delete the same records, while each reader follows.
    @Test func readersOfRacingWritersGetWhatTheySee() async throws {
        try await withDatabase { database in
            try await database.declare(RecordAudience("Note", readers: "readers"))
            let other = try database.another()
            let start = AudienceToken(base: try await database.changeToken(of: view(of: "ann")))
            let isOver = Locked(false)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, writer) in [database, other].enumerated() {
                    group.addTask {
                        var random = SplitMix64(seed: UInt64(number + 1))
                        for _ in 0..<150 {
                            var batch = RecordBatch(savePolicy: .overwrite)
                            for name in Set((0..<2).map { _ in random.pick(["1", "2", "3"]) }).sorted() {
                                let readers = Self.readers.filter { _ in random.chance(oneIn: 3) }
                                if random.chance(oneIn: 4) {
                                    batch.deletions.append(RecordBatch.VersionedID(try note(name, for: []).id))
                                } else {
                                    batch.saves.append(try note(name, for: readers))
                                }
                            }
                            try await writer.commit(batch)
                        }
                    }
                }
                for reader in Self.readers {
                    group.addTask {
                        var (token, copy) = (start, [Record.ID: Record]())
                        var isLast = false
                        while true {
                            // What was saved before the last page began is in the pages.
                            let wasOver = isOver.withLock { $0 }
                            let page = try await database.changes(of: view(of: reader), since: token, limit: 2)
                            token = page.token
                            for id in page.changes.departed + page.changes.deleted { copy[id] = nil }
                            for record in page.changes.saved { copy[record.id] = record }
                            if isLast && page.changes.isComplete { break }
                            isLast = wasOver
                        }
                        let ids = try ["1", "2", "3"].map { try note($0, for: []).id }
                        let seen = try await database.recordsByID(for: ids).filter { _, record in
                            guard case .list(let names)? = record["readers"] else { return false }
                            return names.contains(.string(reader))
                        }
                        #expect(copy == seen, "\(reader)")
                    }
                }
                for _ in 0..<2 { try await group.next() }
                isOver.withLock { $0 = true }
                try await group.waitForAll()
            }
            #expect(try await database.verify().isEmpty)
            await other.close()
        }
    }
}
#endif
