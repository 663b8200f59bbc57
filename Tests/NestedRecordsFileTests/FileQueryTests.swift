import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct FileQueryTests {
    /// A file, the same records in memory, and both answered by the library's defaults.
    private func makeDatabases(
        _ records: [Record], in folder: TemporaryFolder
    ) async throws -> (file: FileRecordDatabase, memory: InMemoryRecordDatabase) {
        let file = try FileRecordDatabase(path: folder.path(UUID().uuidString))
        // An older version of each record, and others that are gone.
        let gone = try (0..<5).map { try Flat.record("Book/gone\($0)") }
        try await file.commit(RecordBatch(saving: records + gone, savePolicy: .overwrite))
        try await file.commit(
            RecordBatch(saving: records, deletingAnyVersionOf: gone.map(\.id), savePolicy: .overwrite))
        let memory = InMemoryRecordDatabase()
        var batch = RecordBatch(saving: [], savePolicy: .overwrite)
        for try await record in file.records(ofType: nil) { batch.saves.append(record) }
        try await memory.commit(batch)
        return (file, memory)
    }

    @Test(.timeLimit(.minutes(5)))
    func pagesCountsAndReferrersAreThoseOfAllRecords() async throws {
        let folder = try TemporaryFolder()
        for seed in Sweep.seeds(2, whole: 250) {
            var random = RandomQuery(seed: seed)
            let (file, memory) = try await makeDatabases(random.records(), in: folder)
            for _ in 0..<40 {
                var query = try random.query()
                repeat {
                    let expected = try await ScannedDatabase(file).page(query)
                    let page = try await file.page(query)
                    #expect(page == expected, "seed \(seed), \(query)")
                    // Change tags and dates differ.
                    if !query.names([.creationDate, .modificationDate, .changeTag]) {
                        let ids = try await memory.page(query).records.map(\.id)
                        #expect(ids == expected.records.map(\.id), "seed \(seed), \(query)")
                        #expect(
                            try await memory.page(query) == ScannedDatabase(memory).page(query),
                            "seed \(seed), \(query)")
                    }
                    query.after = expected.next
                } while query.after != nil
                #expect(try await file.count(query) == ScannedDatabase(file).count(query), "seed \(seed), \(query)")
                #expect(try await memory.count(query) == ScannedDatabase(memory).count(query), "seed \(seed), \(query)")
            }
            for _ in 0..<10 {
                let ids = try random.ids()
                #expect(try await file.referrers(of: ids) == ScannedDatabase(file).referrers(of: ids), "seed \(seed)")
                #expect(
                    try await memory.referrers(of: ids) == ScannedDatabase(memory).referrers(of: ids), "seed \(seed)")
            }
            try await file.close()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func deletionsAndChecksAreThoseOfAllRecords() async throws {
        let folder = try TemporaryFolder()
        for seed in Sweep.seeds(5, whole: 20) {
            var random = RandomQuery(seed: seed)
            let (file, memory) = try await makeDatabases(random.records(), in: folder)
            for database in [file, memory] as [any RecordDatabase] {
                let scanned = ScannedDatabase(database)
                func texts(_ values: [some CustomStringConvertible]) -> [String] { values.map(\.description).sorted() }
                #expect(try await texts(database.danglingReferences()) == texts(scanned.danglingReferences()))
                #expect(try await Set(database.owningCycles()) == Set(scanned.owningCycles()))
                let ids = try random.ids()
                let present = try await database.records(for: ids).map(\.id)
                #expect(
                    try await database.orphans(reachableFrom: present) == scanned.orphans(reachableFrom: present))
                for options in [[.cascading, .clearing], [.cascading, .contents, .clearing]] as [DeletionOptions] {
                    let plan = try await database.deletionPlan(for: ids, options)
                    let other = try await scanned.deletionPlan(for: ids, options)
                    #expect(plan.ids == other.ids, "seed \(seed)")
                    for id in plan.ids { #expect(plan.chain(from: id) == other.chain(from: id), "seed \(seed)") }
                    #expect(plan.missing == other.missing, "seed \(seed)")
                    #expect(plan.cleared == other.cleared, "seed \(seed)")
                    #expect(plan.description == other.description, "seed \(seed)")
                }
            }
            try await file.close()
        }
    }

    @Test(.timeLimit(.minutes(5))) func hostileFiltersAreAnsweredOrRefused() async throws {
        let folder = try TemporaryFolder()
        let file = try FileRecordDatabase(path: folder.path())
        let records = try (0..<40).map { try Flat.record("Book/\($0)", ["a": .int(99_960 + $0), "m": .map(["a": 1])]) }
        try await file.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        var deep = RecordFilter.compare("a", .less, 99_990)
        for level in 0..<300 { deep = level.isMultiple(of: 2) ? .not(.any([deep])) : .all([deep, .exists("a")]) }
        #expect(try await file.count(RecordQuery("Book", where: deep)) == 30)
        for _ in 0..<10_000 { deep = .not(deep) }
        let values = (0..<100_000).map { Record.Value.int($0) }
        #expect(try await file.count(RecordQuery("Book", where: .isAny("a", of: values))) == 40)
        let path = FieldPath(Array(repeating: "m", count: 1_000))
        #expect(try await file.count(RecordQuery("Book", where: .exists(path) || .exists("m.a"))) == 40)
        let paths = (1..<1_000).map { RecordFilter.exists(FieldPath(["\($0)"])) }
        #expect(try await file.count(RecordQuery("Book", where: .any(paths))) == 0)
        let many = RecordFilter.all(Array(repeating: .exists("a"), count: 1_000))
        let references = RecordFilter.all((0..<17).map { _ in .refers("a", to: "Book") })
        for filter in [deep, many, references] {
            let error = await #expect(throws: RecordError.self) {
                try await file.page(RecordQuery("Book", where: filter))
            }
            #expect(error?.code == .filterTooLarge)
        }
    }

    @Test func cursorOfAnotherQueryIsRefused() async throws {
        let folder = try TemporaryFolder()
        let file = try FileRecordDatabase(path: folder.path())
        try await file.commit(
            RecordBatch(saving: (0..<3).map { try Flat.record("Book/\($0)") }, savePolicy: .overwrite))
        var query = RecordQuery("Book", limit: 1)
        let cursor = try #require(try await file.page(query).next)
        query.order = [RecordOrder("a")]
        query.after = cursor
        let error = await #expect(throws: RecordError.self) { try await file.page(query) }
        #expect(error?.code == .foreignCursor)
    }

    @Test(arguments: [0, 1, 1_000, 5_000]) func placesOfATypeComeInTheOrderOfTheFile(_ count: Int) {
        var index = FileIndex()
        var expected: [UInt64] = []
        for number in 0..<count {
            // Offsets of up to 40 bits, of which none is there twice.
            let offset = number << 27 | Int.random(in: 0..<1 << 27)
            let place = EntryLocation.make(offset: offset, length: .random(in: 1...1 << 25))
            let type = UInt64.random(in: 0...3)
            index.insert(.random(in: 0...(.max >> 16)) << 16 | type, at: place)
            if type == 2 { expected.append(place) }
        }
        #expect(index.places(ofType: 2) == expected)
        #expect(index.places().count == count)
        #expect(index.places() == index.unsortedPlaces().sorted())
        #expect(index.places(ofType: 9).isEmpty)
    }

    @Test func pageIsOfOneTimeDespiteSavesDuringIt() async throws {
        let folder = try TemporaryFolder()
        let file = try FileRecordDatabase(path: folder.path())
        let count = 2_000
        func records(_ version: Int64) throws -> [Record] {
            try (0..<count).map { try Flat.record("Book/\($0)", ["version": .int(version)]) }
        }
        try await file.commit(RecordBatch(saving: records(0), savePolicy: .overwrite))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for version in 1...10 {
                    try await file.commit(RecordBatch(saving: records(Int64(version)), savePolicy: .overwrite))
                    try await file.compact()
                }
            }
            for _ in 0..<20 {
                let page = try await file.page(RecordQuery("Book", order: [RecordOrder("version")]))
                #expect(page.records.count == count)
                #expect(Set(page.records.map { $0["version"] }).count == 1)
            }
            try await group.waitForAll()
        }
    }
}
