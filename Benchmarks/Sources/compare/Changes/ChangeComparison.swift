import Counting
import Foundation
import Models
import NestedRecords
import NestedRecordsFile

/// The cost of feeds and live values.
struct ChangeComparison {
    let isQuick: Bool

    func run() async throws -> [Section] {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        var section = Section("changes", "Feeds of changes and live values")
        var fileCount = 0
        func file() throws -> FileRecordDatabase {
            fileCount += 1
            return try FileRecordDatabase(path: folder.appending(path: "changes-\(fileCount).records").path)
        }
        // This comes first, while the process uses little other memory.
        try await addSlowReader("memory", InMemoryRecordDatabase(), to: &section)
        try await addSlowReader("file", file(), to: &section)
        let (inMemory, inFile) = isQuick ? (500, 20) : (5_000, 200)
        section.comparisons = [
            try await savesBesideReaders("memory, processor", count: inMemory) { InMemoryRecordDatabase() },
            try await savesBesideReaders("file, processor", count: inFile) { try file() },
            try await savesBesideReaders("file, clock", count: inFile, isClock: true) { try file() },
        ]
        try await addNestedValue("memory", InMemoryRecordDatabase(), to: &section)
        try await addNestedValue("file", file(), to: &section)
        try await addDelivery("memory", InMemoryRecordDatabase(), to: &section)
        try await addDelivery("file", file(), to: &section)
        try await addDeliveryToOtherProcess(folder.appending(path: "delivery.records").path, to: &section)
        if isQuick { section.notes.append("Left out by --quick: nine tenths of the changes, most rounds.") }
        return [section]
    }

    // MARK: A slow reader

    /// The memory that a writer of many changes and a slow reader take, beyond that of the first tenth of the changes.
    func addSlowReader(_ name: String, _ database: some RecordDatabase & RecordFeed, to section: inout Section)
        async throws
    {
        let (batchCount, batchSize) = (isQuick ? 1_000 : 10_000, 100)
        let (token, last) = (try await database.changeToken(), try Record.ID("Item/99"))
        let reader = Task {
            var seen: [Record.ID: Record.Value] = [:]
            var pageCount = 0
            for try await changes in database.changes(since: token, ofTypes: nil, limit: 100) {
                pageCount += 1
                for record in changes.saved { seen[record.id] = record["batch"] }
                if changes.isComplete, seen[last] == .int(Int64(batchCount)) { break }
                try await Task.sleep(for: .milliseconds(5))
            }
            return (seen.count, pageCount)
        }
        var (first, greatest) = (0.0, 0.0)
        for batch in 1...batchCount {
            // 10,000 records take turns, except in the last batch.
            let start = batch == batchCount ? 0 : batch % 100 * batchSize
            let records = try (start..<start + batchSize).map { number in
                try Record(
                    id: Record.ID(type: "Item", name: "\(number)"),
                    fields: ["batch": .int(Int64(batch)), "text": .string("What item \(number) has to say")])
            }
            _ = try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            if batch.isMultiple(of: batchCount / 100) {
                let memory = ProcessMemory.figure("VmRSS")
                if batch <= batchCount / 10 { first = max(first, memory) }
                greatest = max(greatest, memory)
            }
        }
        let (count, pageCount) = try await reader.value
        guard count == 10_000 else { throw SQLiteFailure(message: "the reader has \(count) records") }
        section.add(
            "\(name): memory of \(batchCount * batchSize) changes beyond that of the first tenth",
            (greatest - first) / 1e6, "MB", atMost: 8)
        section.add("\(name): pages of the slow reader", Double(pageCount), "")
    }

    // MARK: A writer

    /// The readers during saves of records that do not concern them.
    private enum Readers {
        case live(Int)

        /// One that looks at each change, as a live value would without pauses.
        case eager
    }

    /// The time of saves with and without live values of other records.
    ///
    /// The processor time is that of the writer and all readers, and does not depend on the load of the machine.
    private func savesBesideReaders<Database: RecordDatabase & RecordFeed>(
        _ task: String, count: Int, isClock: Bool = false, make: () async throws -> Database
    ) async throws -> Comparison {
        let contenders: [(name: String, readers: Readers?)] = [
            ("not observed", nil), ("0 live", .live(0)), ("1 live", .live(1)), ("100 live", .live(100)),
            ("1 eager", .eager),
        ]
        var tasks: [Task<Void, any Error>] = []
        defer { for task in tasks { task.cancel() } }
        let comparison = try await Comparison(
            "\(task): \(count) saves", count: count, rounds: isQuick ? 5 : 21,
            targets: [
                Target("0 live", to: "not observed", atMost: isQuick ? nil : 1.05),
                Target("1 live", to: "0 live", atMost: isQuick ? nil : 1.05),
                Target("1 live", to: "not observed"), Target("100 live", to: "0 live"),
                Target("1 eager", to: "0 live"),
            ],
            try await contenders.asyncMap { name, readers in
                let database = try await make()
                try await RecordStore(database).overwrite((0..<100).map { Person(name: "\($0)") })
                switch readers {
                case .live(let number):
                    _ = try await database.changeToken()
                    for number in 0..<number {
                        let live = RecordStore(database).live(Person.self, named: "\(number)")
                        tasks.append(Task { for try await _ in live {} })
                    }
                case .eager:
                    let start = try await database.changeToken()
                    tasks.append(
                        Task {
                            var token = start
                            while true {
                                try await database.waitForChanges(after: token)
                                token = try await database.changes(since: token, limit: 1_000).token
                            }
                        })
                case nil: break
                }
                return Contender(name: name) { round in
                    let records = try (0..<count).map { number in
                        try Record(
                            id: Record.ID(type: "Item", name: "\(number)"), fields: ["round": .int(Int64(round))])
                    }
                    @Sendable func save() async throws {
                        for record in records {
                            _ = try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
                        }
                    }
                    return isClock ? try await time(save) : try await ProcessorTime.of(waiting: save)
                }
            })
        return comparison
    }

    /// A value that does not change.
    private struct Person: RecordCodable, Identifiable {
        @RecordName var id: String
        var name: String

        init(name: String) { (id, self.name) = (name, name) }
    }

    // MARK: A nested value

    /// The time and the fetched records of a live value with one change in it.
    func addNestedValue(_ name: String, _ base: some RecordDatabase & RecordFeed, to section: inout Section)
        async throws
    {
        let count = isQuick ? 1_000 : 10_000
        let database = FetchedDatabase(base: base)
        var school = try School(records: count)
        try await RecordStore(database).overwrite(school)
        var values = RecordStore(database).live(School.self, named: school.id).makeAsyncIterator()
        guard try await values.next()?.value?.books.count == school.books.count else {
            throw SQLiteFailure(message: "the live value has no books")
        }
        let load = try await (0..<11).asyncMap { _ in
            try await time { _ = try await RecordStore(base).fetch(School.self, named: school.id).value }.seconds
        }
        database.forget()
        var times: [Double] = []
        for round in 0..<(isQuick ? 5 : 31) {
            school.books[round].pages = -round - 1
            try await RecordStore(base).overwrite(school.books[round])
            times.append(
                try await time {
                    guard try await values.next()?.value?.books[round].pages == -round - 1 else {
                        throw SQLiteFailure(message: "the change is not in the live value")
                    }
                }.seconds)
        }
        section.add("\(name): live value of \(count) records with one change", times.median * 1e3, "ms")
        section.add("\(name): loading it again", load.median * 1e3, "ms")
        section.add("\(name): a change to a load", times.median / load.median, "", atMost: 1.5)
        section.add("\(name): fetched records for a change", Double(database.count), "", atMost: 0)
        database.forget()
        school.books.append(Book(id: "new", title: "New", pages: 1, isAvailable: true))
        try await RecordStore(base).overwrite(school)
        guard try await values.next()?.value?.books.last?.id == "new" else {
            throw SQLiteFailure(message: "the new book is not in the live value")
        }
        section.add("\(name): fetched records for a new one", Double(database.count), "", atMost: 1)
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
