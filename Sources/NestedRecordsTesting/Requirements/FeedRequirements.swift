import Foundation
import NestedRecords

extension RecordDatabaseRequirement {
    static let feeds = [
        RecordDatabaseRequirement(ofFeeds: "reports what was saved since a token") { database in
            _ = try await database.saved(Record.sample("before"))
            var reader = try await FeedReader(database)
            try expect(
                try await reader.readPage(of: database) == RecordChanges(token: reader.token, isComplete: true),
                "the current token is not after all changes")
            let first = try await database.saved(Record.sample("a"))
            let other = try await database.saved(Record.sample("b"))
            let second = try await database.saved(first.with(text: "second"))
            try await reader.readAll(of: database)
            try reader.expectKnows([second, other])
            try await expect(
                reader.readPage(of: database).isEmpty, "the reported changes come again with the next token")
        },
        RecordDatabaseRequirement(ofFeeds: "reports what was deleted since a token") { database in
            let (kept, back) = (try Record.sample("kept"), try Record.sample("back"))
            let gone = try Record.sample("gone")
            for record in [kept, back, gone] { _ = try await database.saved(record) }
            var reader = try await FeedReader(database)
            for record in [gone, back] {
                try await database.delete(record.id)
            }
            let saved = try await database.saved(back.with(text: "again"))
            try await reader.readAll(of: database)
            try reader.expectKnows([saved], deleted: [gone.id])
        },
        RecordDatabaseRequirement(ofFeeds: "splits no batch between pages of changes", needs: .wholeBatchesInFeed) {
            database in
            guard database.batchLimit >= 3 else { return }
            let old = try (0..<5).map { try Record.sample("old \($0)") }
            try await database.saveInBatches(old)
            let start = try await FeedReader(database)
            var batches: [Set<Record.ID>] = []
            for number in 0..<5 {
                let new = try ["left", "right"].map { try Record.sample("\($0) \(number)") }
                try await database.commit(
                    RecordBatch(saving: new, deletingAnyVersionOf: [old[number].id], savePolicy: .overwrite))
                batches.append(Set(new.map(\.id) + [old[number].id]))
            }
            for limit in [-1, 1, 2, 4, 100] {
                var reader = start
                while true {
                    let page = try await reader.readPage(of: database, limit: limit)
                    let ids = Set(page.saved.map(\.id) + page.deleted)
                    for batch in batches where !batch.isDisjoint(with: ids) {
                        try expect(
                            batch.isSubset(of: ids),
                            "a page with the limit \(limit) has \(ids.intersection(batch).count) changes of a batch of 3"
                        )
                    }
                    try expect(
                        ids.count <= max(3, limit + 2), "a page with the limit \(limit) has \(ids.count) changes")
                    if page.isComplete { break }
                    try expect(!ids.isEmpty, "a page without changes is not the last one")
                }
                try expect(
                    reader.records.count == 10 && reader.deleted.count == 5,
                    "the pages have \(reader.records.count) of 10 saved records and \(reader.deleted.count) of 5 deleted"
                )
            }
        },
        RecordDatabaseRequirement(ofFeeds: "shows one moment with all pages up to the last") { database in
            let (left, right) = (try Record.sample("left"), try Record.sample("right"))
            var reader = try await FeedReader(database)
            // The right record is never newer, and never more than one round older.
            func save(rounds: ClosedRange<Int>) async throws {
                for round in rounds {
                    for record in [left, right] { _ = try await database.saved(record.with(text: "\(round)")) }
                }
            }
            func readMoment() async throws {
                try await reader.readAll(of: database, limit: 1)
                let (first, second) = (reader.records[left.id]?.round ?? 0, reader.records[right.id]?.round ?? 0)
                try expect(
                    first == second || first == second + 1,
                    "the pages up to the last one have a record of round \(first) beside one of round \(second)")
            }
            try await save(rounds: 1...3)
            try await readMoment()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await save(rounds: 4...60) }
                for _ in 0..<60 { try await readMoment() }
                try await group.waitForAll()
            }
            try await readMoment()
            try expect(reader.records[right.id]?.round == 60, "the last round is not in the feed")
        },
        RecordDatabaseRequirement(
            ofFeeds: "has every change of eight writers, from token to token", needs: .readYourQueries
        ) { database in
            let reader = try await readBesideWriters(in: database) { _, _ in }
            var all: [Record.ID: Record] = [:]
            for try await record in database.records(ofType: nil) { all[record.id] = record }
            try reader.expectKnows(Array(all.values), deleted: Array(reader.deleted))
            try expect(reader.deleted.count == 8 * 3, "\(reader.deleted.count) of 24 deletions are in the feed")
        },
        RecordDatabaseRequirement(ofFeeds: "never goes back to an older state of a record") { database in
            _ = try await readBesideWriters(in: database) { known, reported in
                try expect(
                    known.round <= reported.round,
                    "\(reported.id) was reported as of round \(reported.round) after \(known.round)")
            }
        },
        RecordDatabaseRequirement(ofFeeds: "continues from a token repeatedly, also from its text") {
            database in
            let before = try await database.saved(Record.sample("a"))
            let token = try await database.changeToken()
            let saved = try await database.saved(before.with(text: "second"))
            let json = try JSONEncoder().encode([token])
            let tokens = [
                token, token, ChangeToken(token.description),
                try JSONDecoder().decode([ChangeToken].self, from: json)[0],
            ]
            for token in tokens {
                let token = try unwrap(token, "the text of the token cannot be read again")
                let changes = try await database.changes(since: token, limit: 10)
                try expect(changes.saved.map(\.id) == [saved.id], "the changes since the token differ when read again")
            }
            var text = token.description
            for position in text.indices {
                let character = text[position]
                let other = character == "x" ? "y" : "x"  // Characters: any other will do
                text.replaceSubrange(position...position, with: other)
                try expect(ChangeToken(text) == nil, "a string that was changed is taken for a token")
                text = token.description
            }
        },
        RecordDatabaseRequirement(ofFeeds: "reports nothing of a refused batch") { database in
            guard database.batchLimit >= 2 else { return }
            let stale = try await database.saved(Record.sample("stale"))
            _ = try await database.saved(stale.with(text: "newer"))
            var reader = try await FeedReader(database)
            try await databaseError(.conflict) {
                _ = try await database.commit(
                    RecordBatch(saving: [Record.sample("new"), stale], savePolicy: .ifUnchanged))
            }
            try await reader.readAll(of: database)
            try reader.expectKnows([])
        },
    ]

    /// Follows a feed while eight writers save and delete, and then to its end; compares the known state of a record with
    /// each newly reported one.
    private static func readBesideWriters(
        in database: FollowedDatabase, comparing compare: (Record, Record) throws -> Void
    ) async throws -> FeedReader {
        var reader = try await FeedReader(database)
        func readPage() async throws -> Bool {
            let known = reader.records
            let page = try await reader.readPage(of: database, limit: 3)
            for record in page.saved {
                if let known = known[record.id] { try compare(known, record) }
            }
            return page.isComplete
        }
        for rounds in [1...10, 11...20, 21...30] {
            let writerCount = Lock(8)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        defer { writerCount.withLock { $0 -= 1 } }
                        for round in rounds { try await save(round: round, of: writer, in: database) }
                    }
                }
                while writerCount.withLock({ $0 > 0 }) {
                    if try await readPage() { await Task.yield() }
                }
                try await group.waitForAll()
            }
            while try await !readPage() {}
        }
        return reader
    }

    /// Saves one record of this round, and one that every round saves; each tenth round deletes that of the round
    /// before.
    private static func save(round: Int, of writer: Int, in database: any RecordDatabase) async throws {
        let own = try Record.sample("\(writer) \(round)", text: "\(round)")
        let shared = try Record.sample("\(writer)", text: "\(round)")
        let former = try Record.sample("\(writer) \(round - 1)").id
        try await database.saveInBatches([own, shared])
        if round.isMultiple(of: 10) {
            try await database.delete(former)
        }
    }
}

extension Record {
    fileprivate var round: Int {
        if case .string(let text)? = self["text"] { Int(text) ?? 0 } else { 0 }
    }
}
