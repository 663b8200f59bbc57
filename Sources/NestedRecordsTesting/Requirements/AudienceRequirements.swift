import NestedRecords

private struct Note: RecordCodable, Identifiable {
    var id: String
    var readers: [String]
    static let recordType = "AudienceNote"
}

private struct Project: RecordCodable, Identifiable {
    var id: String
    var members: [String]
    static let recordType = "AudienceProject"
}

private struct Visit: RecordCodable, Identifiable {
    var id: String
    var project: RecordLink<Project>
    static let recordType = "AudienceVisit"
}

/// The feed of one reader, and what it has reported.
private struct Reader {
    let database: any RecordDatabase
    let name: String
    var token: ChangeToken

    init(_ name: String, of database: any RecordDatabase) async throws {
        (self.database, self.name) = (database, name)
        try await database.declare(RecordAudience("AudienceNote", readers: "readers"))
        try await database.declare(RecordAudience("AudienceProject", readers: "members"))
        try await database.declare(RecordAudience("AudienceVisit", container: "project", ofType: "AudienceProject"))
        token = try await Self.feed(of: name, database).changeToken()
    }

    static func feed(of name: String, _ database: any RecordDatabase) throws -> any RecordFeed {
        let scope = try ScopedRecordDatabase(database, for: name) {
            $0.rule(Note.self) { $0.readers.contains(name) }
            $0.rule(Project.self) { $0.members.contains(name) }
            $0.rule(Visit.self) { $0.project.members.contains(name) }
        }
        return try unwrap(scope.feed, "a scope has no feed")
    }

    func feed() throws -> any RecordFeed { try Self.feed(of: name, database) }

    /// Reads to the end, and checks what was reported.
    mutating func expect(_ expected: [String], limit: Int = 100, of other: (any RecordDatabase)? = nil) async throws {
        let feed = try Self.feed(of: name, other ?? database)
        var found: [String] = []
        for round in 0... {
            let page = try await feed.changes(since: token, limit: limit)
            token = page.token
            found += page.left.map { "left \($0.name)" } + page.departed.map { "departed \($0.name)" }
            found += page.deleted.map { "deleted \($0.name)" } + page.saved.map { "saved \($0.id.name)" }.sorted()
            if page.isComplete { break }
            try NestedRecordsTesting.expect(round < 1_000, "the feed of a reader does not end")
        }
        try NestedRecordsTesting.expect(
            found == expected, "the feed of a reader reports \(found) instead of \(expected)")
    }
}

private func note(_ name: String, for readers: [String]) throws -> Record {
    try Record(
        id: Record.ID(type: "AudienceNote", name: name), fields: ["readers": .list(readers.map { .string($0) })])
}

private func project(_ name: String, of members: [String]) throws -> Record {
    try Record(
        id: Record.ID(type: "AudienceProject", name: name), fields: ["members": .list(members.map { .string($0) })])
}

private func visit(_ name: String, of project: String) throws -> Record {
    let reference = Record.Reference(to: try Record.ID(type: "AudienceProject", name: project))
    return try Record(id: Record.ID(type: "AudienceVisit", name: name), fields: ["project": .reference(reference)])
}

extension RecordDatabaseRequirement {
    static let audiences = [
        RecordDatabaseRequirement("reports to a reader what they see and no longer see", needs: .audiences) {
            database in
            var ann = try await Reader("ann", of: database)
            for record in [try note("a", for: ["ann"]), try note("b", for: ["bo"]), try note("c", for: ["bo", "ann"])] {
                _ = try await database.saved(record)
            }
            try await ann.expect(["saved a", "saved c"])
            _ = try await database.saved(note("a", for: ["bo"]))
            try await database.delete(note("b", for: []).id)
            try await database.delete(note("c", for: []).id)
            try await ann.expect(["departed a", "deleted c"])
        },
        RecordDatabaseRequirement("reports to a reader a record that left and was changed again", needs: .audiences) {
            database in
            var ann = try await Reader("ann", of: database)
            _ = try await database.saved(note("a", for: ["ann"]))
            try await ann.expect(["saved a"])
            _ = try await database.saved(note("a", for: ["bo"]))
            _ = try await database.saved(note("a", for: ["cy"]))
            try await database.delete(note("a", for: []).id)
            _ = try await database.saved(note("a", for: ["bo"]))
            try await ann.expect(["departed a"])
        },
        RecordDatabaseRequirement("lists the contents of a container that a reader has joined", needs: .audiences) {
            database in
            var ann = try await Reader("ann", of: database)
            _ = try await database.saved(project("p", of: ["bo"]))
            for name in ["1", "2", "3"] { _ = try await database.saved(visit(name, of: "p")) }
            try await ann.expect([])
            _ = try await database.saved(project("p", of: ["bo", "ann"]))
            try await ann.expect(["saved p", "saved 1", "saved 2", "saved 3"], limit: 1)
            _ = try await database.saved(visit("2", of: "p"))
            try await ann.expect(["saved 2"])
        },
        RecordDatabaseRequirement("names a container that a reader has left, and not its contents", needs: .audiences) {
            database in
            var ann = try await Reader("ann", of: database)
            _ = try await database.saved(project("p", of: ["ann"]))
            _ = try await database.saved(project("q", of: ["ann"]))
            for name in ["1", "2"] { _ = try await database.saved(visit(name, of: "p")) }
            try await ann.expect(["saved p", "saved q", "saved 1", "saved 2"])
            _ = try await database.saved(visit("1", of: "q"))
            _ = try await database.saved(project("p", of: ["bo"]))
            _ = try await database.saved(visit("2", of: "p"))
            try await ann.expect(["left p", "saved 1"])
        },
        RecordDatabaseRequirement("goes on with the feed of a reader after it was opened again", needs: .audiences) {
            (subject: ContractSubject) in
            let database = subject.database
            var ann = try await Reader("ann", of: database)
            _ = try await database.saved(note("a", for: ["ann"]))
            _ = try await database.saved(note("b", for: ["ann"]))
            try await ann.expect(["saved a", "saved b"])
            _ = try await database.saved(note("a", for: ["bo"]))
            try await database.delete(note("b", for: []).id)
            guard let again = try await subject.reopened() else { return }
            _ = try await again.database.saved(note("c", for: ["ann"]))
            try await ann.expect(["departed a", "deleted b", "saved c"], of: again.database)
        },
        RecordDatabaseRequirement("goes on with a reader's wait while strangers' records change", needs: .audiences) {
            database in
            let ann = try await Reader("ann", of: database)
            let wait = Task { () async throws -> ContinuousClock.Instant in
                try await ann.feed().waitForChanges(after: ann.token)
                return .now
            }
            defer { wait.cancel() }
            for _ in 0..<10 {
                _ = try await database.saved(note("b", for: ["bo"]))
                try await Task.sleep(for: .milliseconds(10))
            }
            let save = ContinuousClock.now
            _ = try await database.saved(note("a", for: ["ann"]))
            try expect(try await endsInTime { _ = try await wait.value }, "a wait did not end after a save")
            try expect(try await wait.value >= save, "a wait ended although only strangers' records were saved")
        },
        RecordDatabaseRequirement("refuses the feed of a reader whose audience is not declared", needs: .audiences) {
            database in
            let ann = try await Reader("ann", of: database)
            try await database.removeAudience(ofType: "AudienceVisit")
            for call in [
                { _ = try await ann.feed().changeToken() },
                { _ = try await ann.feed().changes(since: ann.token, limit: 1) },
            ] as [@Sendable () async throws -> Void] {
                _ = try await databaseError(.unsupported, from: "the feed") { try await call() }
            }
            try await database.declare(RecordAudience("AudienceVisit", container: "project", ofType: "AudienceProject"))
            let error = try await databaseError(.changeTokenExpired, from: "the feed") {
                _ = try await ann.feed().changes(since: ann.token, limit: 1)
            }
            try expect(error.expiry == .purged, "the reason is: \(error)")
        },
    ]
}
