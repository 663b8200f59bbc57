import Foundation

@testable import NestedRecords
@testable import NestedRecordsFile

/// Small files of real databases.
enum FileSeeds {
    private static func record(_ id: String, _ fields: Record.Fields) throws -> Record {
        try Record(id: Record.ID(id), fields: fields)
    }

    private static func save(_ database: FileRecordDatabase, _ round: Int, deleting: [String] = []) async throws {
        let target = try Record.ID("B/1")
        let records = try [
            record("A/1", ["n": .int(Int64(round)), "list": .list([.bool(true), .null])]),
            record("B/\(round)é", ["to": .reference(Record.Reference(to: target)), "text": .string("xyz")]),
            record("C.d/\(round % 2)", ["map": .map(["d": .double(1.5)])]),
        ]
        try await database.commit(
            RecordBatch(
                saving: records, deletingAnyVersionOf: deleting.map { try Record.ID($0) }, savePolicy: .overwrite))
    }

    private static func file(_ body: (FileRecordDatabase) async throws -> Void) async throws -> [UInt8] {
        let disk = MemoryDisk()
        let database = try disk.open()
        try await body(database)
        return disk.bytes() ?? []
    }

    /// The files by name.
    static func files() async throws -> [String: [UInt8]] {
        let open = try await file { database in
            for round in 1...3 { try await save(database, round, deleting: round > 1 ? ["B/\(round - 1)é"] : []) }
        }
        let indexed = try await file { database in
            for round in 1...2 { try await save(database, round) }
            try await database.compact()
        }
        return [
            "empty": try await file { _ in }, "open": open, "indexed": indexed,
            "one": try await file { try await save($0, 1) }, "torn": open.dropLast(20),
            "closed": try await file { database in
                try await save(database, 1)
                try await save(database, 2, deleting: ["B/1é"])
                try await database.close()
            },
            "written-on": try await file { database in
                for round in 1...2 { try await save(database, round) }
                try await database.compact()
                try await save(database, 3, deleting: ["B/1é", "C.d/0"])
            },
            "compacted-twice": try await file { database in
                for round in 1...3 {
                    try await save(database, round, deleting: round > 1 ? ["B/\(round - 1)é"] : [])
                    if round > 1 { try await database.compact() }
                }
                try await save(database, 4)
                try await database.close()
            },
            "other": Array("another file that is long enough to have a head".utf8),
        ]
    }

    /// The recipes by name, each file with several repairs.
    static func recipes() async throws -> [String: [UInt8]] {
        var recipes: [String: [UInt8]] = [:]
        for (number, (name, file)) in try await files().sorted(by: { $0.key < $1.key }).enumerated() {
            let checksums: FileRecipe.Repairs = [.entries, .blocks, .head]
            let variants: [FileRecipe.Repairs] =
                file.count < FileHeader.size
                ? [.isWholeFile] : [[], checksums, checksums.union([.lengths, .ends, .slots, .keys])]
            for (variant, repairs) in variants.enumerated() {
                let actions = FileRecipe.Actions(rawValue: UInt8(truncatingIfNeeded: number * 3 + variant))
                recipes["file-\(name)-\(variant)"] = FileRecipe.bytes(for: file, repairs, actions)
            }
        }
        return recipes
    }
}
