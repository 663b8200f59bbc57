import Foundation
import Models
import NestedRecords
import NestedRecordsFile

/// The cost of fetching a value's records from a database, beyond decoding them.
struct ResolutionCost {
    let isQuick: Bool

    func run() async throws -> Section {
        var section = Section(
            "resolution", "Fetching and decoding, processor time of one record", isPerPiece: true)
        try await addCalls(to: &section)
        let count = isQuick ? 1_000 : 10_000
        let school = try School(records: count)
        try await compare("school of \(count)", school, named: school.id, to: &section, isMain: true)
        let store = MusicStore()
        try await compare("music store", store, named: "\(store.id)", to: &section, isMain: false)
        // Not so deep that decoding continues on other threads, which may wait for a busy processor.
        let chain = Person.chain(of: 100)
        try await compare("chain of 100", chain, named: chain.id, to: &section, isMain: false)
        if isQuick {
            section.notes.append("Left out by --quick: the school of 10000 (1000 in its place), most rounds.")
        }
        return section
    }

    /// The calls by depth, for a type that was decoded before.
    private func addCalls(to section: inout Section) async throws {
        for links in [1, 10, 100, 1_000] {
            let chain = Person.chain(of: links)
            let name = "chain of \(links)"
            try await addCalls(name, chain, named: chain.id, levels: links, to: &section)
        }
        let school = try School(records: 1_000)
        try await addCalls("school of 1000", school, named: school.id, levels: 2, to: &section)
    }

    private func addCalls<Root: RecordCodable & Sendable>(
        _ task: String, _ root: Root, named name: String, levels: Int, to section: inout Section
    ) async throws {
        let database = try await WatchedDatabase(try RecordEncoder().encode(root))
        var repeated = 0
        for _ in 0..<2 {
            _ = try await RecordDecoder().decode(Root.self, from: Record.ID(of: Root.self, named: name), in: database)
            let counts = database.takeCounts()
            repeated = counts.repeated
            section.figures.removeAll { $0.name == "\(task): calls" }
            section.add("\(task): calls", Double(counts.calls), "", atMost: Double(levels))
        }
        section.add("\(task): records fetched again", Double(repeated), "", atMost: 0)
    }

    private func compare<Root: RecordCodable & Sendable>(
        _ task: String, _ root: Root, named name: String, to section: inout Section, isMain: Bool
    ) async throws {
        let graph = try RecordEncoder().encode(root)
        let records = Dictionary(uniqueKeysWithValues: graph.map { ($0.id, $0) })
        let ids = graph.map(\.id)
        let (memory, single) = (InMemoryRecordDatabase(), InMemoryRecordDatabase(batchLimit: 1))
        let actor = ActorDatabase(records)
        try await memory.save(graph, savePolicy: .overwrite)
        for record in graph {
            _ = try await single.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        }
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try FileRecordDatabase(path: folder.appending(path: "resolution.records").path)
        try await file.save(graph, savePolicy: .overwrite)
        @Sendable func decode(in database: some RecordDatabase) async throws -> Root {
            try await RecordDecoder().decode(Root.self, from: Record.ID(of: Root.self, named: name), in: database)
        }
        let comparison = try await Comparison(
            task, count: graph.count, rounds: 51, within: isQuick ? .milliseconds(600) : .seconds(6),
            atLeast: isQuick ? 3 : 9, turn: .milliseconds(4), targets: [],
            [
                Contender("look-ups") { ids.reduce(0) { $0 + (records[$1]?.fields.count ?? 0) } },
                Contender("graph") { try RecordDecoder().decode(Root.self, from: graph) },
                Contender(waiting: "memory, calls alone") { try await memory.records(for: ids) },
                Contender(waiting: "memory") { try await decode(in: memory) },
                Contender(waiting: "actor") { try await decode(in: actor) },
                Contender(waiting: "memory, one by one") { try await decode(in: single) },
                Contender(waiting: "file") { try await decode(in: file) },
            ])
        try await file.close()
        section.comparisons.append(comparison)
        addCosts(comparison, to: &section, isMain: isMain)
    }

    /// The time of each database without the decoding.
    private func addCosts(_ comparison: Comparison, to section: inout Section, isMain: Bool) {
        guard let graph = comparison["graph"], let lookups = comparison["look-ups"] else { return }
        for name in ["memory", "actor", "memory, one by one", "file"] {
            guard let time = comparison[name] else { continue }
            if name == "memory" || name == "file" {
                section.add(
                    "\(comparison.task), \(name): nested load", time / Double(comparison.count) * 1e6, "µs a record",
                    atMost: name == "file" && comparison.count > 5_000 ? 1.0 : nil)
            }
            let cost = (time - graph) / Double(comparison.count) * 1e9
            section.add("\(comparison.task), \(name): beyond decoding", cost, "ns a record")
            guard name == "memory" || name == "actor" else { continue }
            section.add(
                "\(comparison.task), \(name): beyond decoding and plain look-ups",
                cost - lookups / Double(comparison.count) * 1e9, "ns a record", atMost: isMain ? 100 : nil)
        }
    }
}
