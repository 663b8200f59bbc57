@_spi(Engines) import NestedRecords

extension RecordDatabaseRequirement {
    static let waiting = [
        RecordDatabaseRequirement(ofFeeds: "ends a wait when something has changed") { database in
            for round in 0..<20 {
                let record = try Record.sample("\(round)")
                let before = try await database.changeToken()
                // The changes come before or after the waits begin: no wait may miss them.
                let waits = (0..<4).map { _ in Task { try await database.waitForChanges(after: before) } }
                defer { for wait in waits { wait.cancel() } }
                _ = try await database.saved(record)
                for wait in waits {
                    try expect(try await endsInTime { try await wait.value }, "a wait did not end after a save")
                }
                try expect(
                    try await endsInTime { try await database.waitForChanges(after: before) },
                    "a wait did not end although there is a change")
                let token = try await database.changeToken()
                let wait = Task { try await database.waitForChanges(after: token) }
                defer { wait.cancel() }
                try await database.delete(record.id)
                try expect(try await endsInTime { try await wait.value }, "a wait did not end after a deletion")
            }
        },
        RecordDatabaseRequirement(ofFeeds: "goes on with a wait while only system records change") { database in
            _ = try await database.saved(Record.sample("a"))
            let token = try await database.changeToken()
            let wait = Task { () async throws -> ContinuousClock.Instant in
                try await database.waitForChanges(after: token)
                return .now
            }
            defer { wait.cancel() }
            let record = try Record(id: Record.ID(type: "NestedRecords.Example", name: "a"), fields: ["a": 1])
            // Several pauses: on a busy machine the task of the wait may have no turn in the first ones.
            for _ in 0..<10 {
                try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
                try await Task.sleep(for: .milliseconds(10))
            }
            let save = ContinuousClock.now
            _ = try await database.saved(Record.sample("b"))
            try expect(try await endsInTime { _ = try await wait.value }, "a wait did not end after a save")
            try expect(try await wait.value >= save, "a wait ended although only a system record was saved")
        },
        RecordDatabaseRequirement(ofFeeds: "ends a wait when its task is cancelled") { database in
            _ = try await database.saved(Record.sample("a"))
            let token = try await database.changeToken()
            for round in 0..<20 {
                let wait = Task { try await database.waitForChanges(after: token) }
                if round.isMultiple(of: 2) { await Task.yield() }
                wait.cancel()
                try expect(
                    try await endsInTime { _ = await wait.result }, "a wait did not end when its task was cancelled")
                if case .failure(let error) = await wait.result, !(error is CancellationError) {
                    throw UnmetExpectation(explanation: "a wait whose task was cancelled threw: \(error)")
                }
            }
        },
    ]

    static let tokens = [
        RecordDatabaseRequirement(ofFeeds: "refuses the token of another database") { database in
            _ = try await database.saved(Record.sample("a"))
            let token = try await database.changeToken()
            let other = try ChangeToken(store: "other" + token.store, payload: token.payload)
            try await expectRefused(other, by: database, because: [.otherStore])
        },
        RecordDatabaseRequirement(ofFeeds: "refuses a token that it has never returned") { database in
            _ = try await database.saved(Record.sample("a"))
            let token = try await database.changeToken()
            let other = try ChangeToken(store: token.store, payload: token.payload.map { _ in 0x7F })
            try await expectRefused(other, by: database, because: [.wentBack, .otherStore])
        },
        RecordDatabaseRequirement("continues from a token after it was opened again") { (subject: ContractSubject) in
            guard let database = subject.feed else { return }
            let (gone, kept) = (try Record.sample("gone"), try Record.sample("kept"))
            for record in [gone, kept] { _ = try await database.saved(record) }
            var reader = try await FeedReader(database)
            let saved = try await database.saved(kept.with(text: "second"))
            try await database.delete(gone.id)
            guard let again = try await subject.reopened(), let second = again.feed else { return }
            try await reader.readAll(of: second)
            try reader.expectKnows([saved], deleted: [gone.id])
            let new = try await second.saved(Record.sample("new"))
            guard let third = try await again.reopened()?.feed else { return }
            try await reader.readAll(of: third)
            try reader.expectKnows([saved, new], deleted: [gone.id])
            try await expect(reader.readPage(of: third).isEmpty, "the reported changes come again")
        },
        RecordDatabaseRequirement("refuses a token from before deletions that it has forgotten") {
            (subject: ContractSubject) in
            guard let database = subject.feed else { return }
            let gone = try await database.saved(Record.sample("gone"))
            let token = try await database.changeToken()
            try await database.delete(gone.id)
            guard let forgetDeletions = subject.forgetDeletions else { return }
            try await forgetDeletions()
            do {
                let changes = try await database.changes(since: token, limit: .max)
                // A database may remember more deletions than requested.
                try expect(
                    changes.deleted.contains(gone.id),
                    "the deletion of \(gone.id) is missing from the feed, and no error was thrown")
            } catch let error as RecordDatabaseError where error.code == .changeTokenExpired {
                try expect(error.expiry == .purged, "the reason is: \(error)")
            }
            var reader = try await FeedReader(database)
            let new = try await database.saved(Record.sample("new"))
            try await reader.readAll(of: database)
            try reader.expectKnows([new])
        },
        RecordDatabaseRequirement("knows what has changed since its oldest token") { (subject: ContractSubject) in
            guard let database = subject.feed else { return }
            let gone = try await database.saved(Record.sample("gone"))
            _ = try await database.changeToken()
            try await database.delete(gone.id)
            try await subject.forgetDeletions?()
            var reader = FeedReader(at: try await database.oldestChangeToken())
            let new = try await database.saved(Record.sample("new"))
            try await reader.readAll(of: database)
            try expect(reader.records[new.id] == new, "the newest record is not in the history")
        },
    ]

    private static func expectRefused(
        _ token: ChangeToken, by database: FollowedDatabase, because reasons: [ChangeToken.Expiry]
    ) async throws {
        let error = try await databaseError(.changeTokenExpired, from: "reading on from the token") {
            _ = try await database.changes(since: token, limit: 10)
        }
        try expect(error.expiry.map(reasons.contains) == true, "the error is: \(error)")
    }
}
