@_spi(Engines) import NestedRecords
import NestedRecordsTesting
import Testing

/// The table of the article "Capabilities and Limits": each call without each capability.
@Suite struct CapabilityTableTests {
    struct Pupil: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var name: String
        static let recordType = "CapablePupil"
    }

    struct School: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var name: String
        var pupils: [Pupil]
        static let recordType = "CapableSchool"
    }

    struct User: RecordCodable, Identifiable {
        @RecordName var id: String
        var address: String
        static let recordType = "CapableUser"
        static let schema = RecordSchema(unique: ["address"])
    }

    enum Call: String, CaseIterable {
        case fetch, query, insert, overwrite, insertUnique, save, saveRemoving, update, change, transaction, delete
        case deleteDangling, mend

        var needs: RecordCapabilities {
            switch self {
            case .fetch, .query, .insert, .overwrite, .save: []
            case .insertUnique: [.atomicBatches, .conditions, .missingConditions]
            case .saveRemoving, .deleteDangling: .versionedDeletions
            case .update: .conditions
            case .change, .transaction: [.atomicBatches, .conditions, .missingConditions, .versionedDeletions]
            case .delete: [.completeReferrers, .referrerConditions, .versionedDeletions]
            case .mend: [.conditions, .missingConditions, .versionedDeletions]
            }
        }

        func run(in store: RecordStore) async throws {
            switch self {
            case .fetch:
                let school = try await store.fetch(School.self, named: "hill").value
                #expect(school.pupils.map(\.name) == ["Ann", "Bob"])
            case .query:
                #expect(try await store.query(Pupil.self).filter { $0.name == "Ann" }.all().map(\.id) == ["a"])
            case .insert:
                try await store.insert(School(id: "new", name: "New", pupils: [Pupil(id: "n", name: "Nia")]))
                #expect(try await store.fetch(School.self, named: "new").value.pupils.map(\.name) == ["Nia"])
            case .overwrite:
                try await store.overwrite(School(id: "hill", name: "Over", pupils: [Pupil(id: "a", name: "Amy")]))
                #expect(try await store.fetch(School.self, named: "hill").value.pupils.map(\.name) == ["Amy"])
            case .insertUnique:
                try await store.insert(User(id: "u", address: "u@x"))
                let error = await #expect(throws: RecordDatabaseError.self) {
                    try await store.insert(User(id: "v", address: "u@x"))
                }
                #expect(error?.code == .valueTaken)
            case .save, .saveRemoving:
                var school = try await store.fetch(School.self, named: "hill")
                school.name = "Saved"
                school.pupils[0].name = "Amy"
                if self == .saveRemoving { school.pupils.removeLast() }
                try await store.save(&school, deletesRemovedRecords: self == .saveRemoving)
                let again = try await store.fetch(School.self, named: "hill")
                #expect(again.value == school.value && school.entityTag == again.entityTag)
            case .update:
                try await store.update(School.self, named: "hill") { $0.pupils[1].name = "Ben" }
                #expect(try await store.fetch(Pupil.self, named: "b").name == "Ben")
            case .change:
                try await store.change(School.self, named: "hill") { $0.name.set("Changed") }
                #expect(try await store.fetch(School.self, named: "hill").name == "Changed")
            case .transaction:
                try await store.transaction { store in
                    var pupil = try await store.fetch(Pupil.self, named: "a")
                    pupil.name = "Amy"
                    try await store.save(&pupil)
                }
                #expect(try await store.fetch(Pupil.self, named: "a").name == "Amy")
            case .delete, .deleteDangling:
                try await store.delete(School.self, named: "hill", self == .delete ? [] : .dangling)
                #expect(try await store.fetchIfPresent(School.self, named: "hill") == nil)
            case .mend:
                #expect(try await store.database.uniqueValueProblems(mending: true).isEmpty)
            }
        }
    }

    @Test(arguments: Call.allCases, RecordCapabilities.each)
    func callWorksOrIsRefusedAndWritesNothing(_ call: Call, without missing: RecordCapabilities) async throws {
        var options = FaultyRemoteDatabase.Options()
        options.capabilities.remove(missing)
        // The records are visible to queries without the lag.
        options.queryLag = 0
        let database = FaultyRemoteDatabase(options)
        let store = RecordStore(database)
        let school = School(
            id: "hill", name: "Hill", pupils: [Pupil(id: "a", name: "Ann"), Pupil(id: "b", name: "Bob")])
        try await store.insert(school)
        let before = try await contents(of: database)
        guard !call.needs.isDisjoint(with: missing) else { return try await call.run(in: store) }
        let error = await #expect(throws: RecordDatabaseError.self) { try await call.run(in: store) }
        #expect(error?.code == .unsupported && error?.missingCapabilities == missing)
        #expect(try await contents(of: database) == before)
    }

    private func contents(of database: some RecordDatabase) async throws -> [Record] {
        var records: [Record] = []
        for try await record in database.records(ofType: nil, including: .system) { records.append(record) }
        return records
    }

    @Test func referencesAreNotSearchedWhereScansAreRefused() async throws {
        var options = FaultyRemoteDatabase.Options()
        options.limits.allowsScans = false
        let store = RecordStore(FaultyRemoteDatabase(options))
        try await store.insert(Pupil(id: "a", name: "Ann"))
        for call in [
            { try await store.delete(Pupil.self, named: "a") },
            { _ = try await store.query(Pupil.self).all() },
            { _ = try await store.query(Pupil.self).count() },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: RecordDatabaseError.self) { try await call() }
            #expect(error?.code == .scanRefused)
        }
        #expect(try await store.fetch(Pupil.self, named: "a").name == "Ann")
        try await store.delete(Pupil.self, named: "a", .dangling)
        #expect(try await store.fetchIfPresent(Pupil.self, named: "a") == nil)
    }

    @Test func savesAreSplitByBytes() async throws {
        var options = FaultyRemoteDatabase.Options()
        options.limits.batchBytes = 1_000
        let store = RecordStore(FaultyRemoteDatabase(options))
        let pupils = (0..<40).map { Pupil(id: "\($0)", name: String(repeating: "x", count: 100)) }
        try await store.insert(pupils)
        #expect(try await store.query(Pupil.self).count() == 40)
    }

    @Test func recordThatIsTooLargeIsRefusedWithItsLargestField() async throws {
        var options = FaultyRemoteDatabase.Options()
        options.limits.recordBytes = 1_000
        let store = RecordStore(FaultyRemoteDatabase(options))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.insert(Pupil(id: "a", name: String(repeating: "x", count: 2_000)))
        }
        #expect(error?.code == .recordTooLarge && error?.recordID?.name == "a" && error?.context.field == "name")
        #expect("\(try #require(error))".contains("most of it in the field 'name'"))
    }

    @Test func systemRecordsAreReturnedOnlyIfTheyAreAskedFor() async throws {
        let database = InMemoryRecordDatabase()
        let token = try await database.changeToken()
        try await RecordStore(database).insert(User(id: "u", address: "u@x"))
        func count(_ sequence: RecordSequence) async throws -> Int {
            try await sequence.reduce(0) { sum, _ in sum + 1 }
        }
        #expect(try await count(database.records(ofType: nil)) == 1)
        #expect(try await count(database.records(ofType: nil, including: .system)) == 2)
        #expect(try await count(database.records(ofType: "NestedRecords.UniqueValue")) == 1)
        #expect(try await database.changes(since: token, limit: 10).saved.count == 1)
        #expect(try await database.changes(since: token, limit: 10, including: .system).saved.count == 2)
    }
}
