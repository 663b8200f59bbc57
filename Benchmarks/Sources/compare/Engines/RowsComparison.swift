#if Engines
import Foundation
@_spi(Engines) import NestedRecords
import NestedRecordsSQLite

/// A nested value, and the references to one record, in SQLite: records against rows of GRDB.
struct RowsComparison {
    private let isQuick: Bool
    private let folder: URL

    init(isQuick: Bool) throws {
        self.isQuick = isQuick
        folder = try TemporaryFolder.make()
    }

    func run() async throws -> Section {
        defer { try? FileManager.default.removeItem(at: folder) }
        var section = Section("rows", "SQLite: records against rows of GRDB; wall-clock time, durable saves")
        try await addStore(to: &section)
        section.comparisons.append(try await referrers())
        if isQuick { section.notes.append("Left out by --quick: targets, most rounds, and most references.") }
        return section
    }

    private func limit(_ limit: Double) -> Double? { isQuick ? nil : limit }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func records(_ name: String, fields: Bool = false) async throws -> SQLiteRecordDatabase {
        var options = SQLiteRecordDatabase.Options()
        options.writesFieldsForSQL = fields
        let database = try SQLiteRecordDatabase(path: path(name), options: options)
        try await database.prepare()
        return database
    }

    // MARK: A nested value

    private func addStore(to section: inout Section) async throws {
        let (store, count) = (MusicStore(), 6_872)
        func save(_ name: String, fields: Bool) -> Contender {
            Contender(name: name) { round in
                let database = try await records("\(name)\(round)", fields: fields)
                let duration = try await time { try await RecordStore(database).insert(store) }
                try await database.close()
                return duration
            }
        }
        let saves = try await Comparison(
            "save a music store", count: count, rounds: isQuick ? 3 : 21,
            targets: [
                Target("sqlite", to: "grdb", atMost: limit(1)), Target("sqlite with fields", to: "grdb"),
            ],
            [
                save("sqlite", fields: false), save("sqlite with fields", fields: true),
                Contender(name: "grdb") { round in
                    let grdb = try GRDBMusicStore(path: path("grdb\(round)"))
                    let duration = try await time { try await grdb.insert(store) }
                    try grdb.close()
                    return duration
                },
            ])
        section.comparisons.append(saves)
        for (name, _) in saves.seconds {
            let size = try FileManager.default.fileSize(at: folder.appending(path: "\(name)0"))
            section.add("music store, \(name): on disk", size / 1e6, "MB")
        }
        let (database, grdb) = (try await records("sqlite0"), try GRDBMusicStore(path: path("grdb0")))
        section.comparisons.append(
            try await Comparison(
                "load a music store", count: count, rounds: isQuick ? 3 : 21,
                targets: [Target("sqlite", to: "grdb")],
                [
                    Contender(name: "sqlite") { _ in
                        try await time { try await RecordStore(database).fetch(MusicStore.self, named: "1").value }
                    },
                    Contender(name: "grdb") { _ in try await time { try await grdb.store() } },
                ]))
        try await database.close()
        try grdb.close()
    }

    // MARK: References

    private func referrers() async throws -> Comparison {
        let count = isQuick ? 2_000 : 21_818
        let genre = MusicStore.Genre(id: 1, name: "Choir")
        let mediaType = MusicStore.MediaType(id: 1, name: "Tape")
        let tracks = (1...count).map {
            MusicStore.Track(
                id: $0, name: "Track \($0)", composer: nil, milliseconds: $0, bytes: $0, unitPrice: 0.99, genre: genre,
                mediaType: mediaType)
        }
        let (database, grdb) = (try await records("references"), try GRDBMusicStore(path: path("references.grdb")))
        try await RecordStore(database).insert(tracks)
        try await grdb.insert(tracks)
        let target = try Record.ID(type: MusicStore.Genre.recordType, name: "1")
        func check(_ found: Int?, _ name: String) throws {
            guard found == count else { throw SQLiteFailure(message: "\(name) has \(found ?? 0) of \(count)") }
        }
        let comparison = try await Comparison(
            "\(count) references to a record", count: count, rounds: isQuick ? 3 : 21,
            targets: [Target("sqlite", to: "grdb", atMost: limit(1))],
            [
                Contender(name: "sqlite") { _ in
                    try await time {
                        try check(try await database.referrers(of: [target])[target]?.count, "SQLite")
                    }
                },
                Contender(name: "grdb") { _ in
                    try await time { try check(try await grdb.tracks(ofGenre: 1).count, "GRDB") }
                },
            ])
        try await database.close()
        try grdb.close()
        return comparison
    }
}
#endif
