#if Engines
import Counting
import Foundation
import NestedRecords
import NestedRecordsFile
import NestedRecordsSQLite

/// What a change of a nested value costs, and reads of a large SQLite file, against GRDB and against encoding the value.
struct CostComparison {
    private let isQuick: Bool
    private let folder: URL

    init(isQuick: Bool) throws {
        self.isQuick = isQuick
        folder = try TemporaryFolder.make()
    }

    func run() async throws -> [Section] {
        defer { try? FileManager.default.removeItem(at: folder) }
        var section = Section("costs", "A music store of 6,872 records; processor time")
        section.comparisons.append(try await changedTitle())
        section.comparisons.append(try await overwrite())
        section.comparisons.append(try await load(&section))
        if isQuick { section.notes.append("Left out by --quick: targets and most rounds.") }
        let rows = MillionRows(count: isQuick ? 20_000 : 1_000_000, folder: folder, isQuick: isQuick)
        return [section, try await rows.run()]
    }

    private func limit(_ limit: Double) -> Double? { isQuick ? nil : limit }
    private var rounds: Int { isQuick ? 3 : 21 }
    private func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The save of a fetched value with one changed title, beside one encoding of the value.
    private func changedTitle() async throws -> Comparison {
        let file = try FileRecordDatabase(path: path("changed.records"))
        let sqlite = try SQLiteRecordDatabase(path: path("changed.sqlite"))
        func contender(_ name: String, _ database: any RecordDatabase) async throws -> Contender {
            let store = RecordStore(database)
            try await store.insert(MusicStore())
            return Contender(name: name) { round in
                var stored = try await store.fetch(MusicStore.self, named: "1")
                stored.value.artists[round % 450].albums[0].title = "Title \(name) \(round)"
                let changed = stored
                return try await ProcessorTime.of(waiting: { try await store.save(changed) })
            }
        }
        let value = MusicStore()
        let comparison = try await Comparison(
            "save one changed title", count: 1, rounds: rounds,
            targets: [
                Target("file", to: "encode", atMost: limit(1.25)), Target("sqlite", to: "encode", atMost: limit(1.25)),
            ],
            [
                try await contender("file", file), try await contender("sqlite", sqlite),
                Contender("encode") { try RecordEncoder().encode(value) },
            ])
        try await file.close()
        try await sqlite.close()
        return comparison
    }

    /// All records are saved over those that exist.
    private func overwrite() async throws -> Comparison {
        let (value, sqlite) = (MusicStore(), try SQLiteRecordDatabase(path: path("overwritten.sqlite")))
        let (store, grdb) = (RecordStore(sqlite), try GRDBMusicStore(path: path("overwritten.grdb")))
        try await store.insert(value)
        try await grdb.insert(value)
        let comparison = try await Comparison(
            "overwrite a music store", count: 6_872, rounds: rounds,
            targets: [Target("sqlite", to: "grdb", atMost: limit(1))],
            [
                Contender(waiting: "sqlite") { try await store.overwrite(value) },
                Contender(waiting: "grdb") { try await grdb.insert(value, overwriting: true) },
            ])
        try await sqlite.close()
        try grdb.close()
        return comparison
    }

    private func load(_ section: inout Section) async throws -> Comparison {
        let (file, grdb) = (
            try FileRecordDatabase(path: path("loaded.records")), try GRDBMusicStore(path: path("grdb"))
        )
        let (store, value) = (RecordStore(file), MusicStore())
        try await store.insert(value)
        try await grdb.insert(value)
        let comparison = try await Comparison(
            "load a music store", count: 6_872, rounds: rounds,
            targets: [Target("file", fasterThan: "grdb")],
            [
                Contender(waiting: "file") { try await store.fetch(MusicStore.self, named: "1").value.artists.count },
                Contender(waiting: "grdb") { try await grdb.store()?.artists.count },
            ])
        let seconds = comparison["file"] ?? 0
        section.add("load of a record from the record file", seconds / 6_872 * 1e6, "µs", atMost: limit(1))
        try await file.close()
        try grdb.close()
        return comparison
    }
}
#endif
