#if SQLite
import Foundation
@_spi(Engines) import NestedRecords

/// The bytes of assets in the file of the records, one row a chunk.
struct SQLiteAssetChunks: AssetChunks {
    let database: SQLiteRecordDatabase

    private static let chunkSize = Int64(AssetContent.chunkSize)

    func begin(_ upload: String) async throws {
        try await write { try $0.run("INSERT INTO asset_uploads(name) VALUES (?1)", .text(upload)) }
    }

    func write(_ bytes: Data, to upload: String, at offset: Int64) async throws -> Bool {
        let position = offset / Self.chunkSize
        return try await write { connection in
            guard let number = try connection.upload(named: upload) else { return false }
            let sql = "SELECT length(bytes) FROM asset_chunks WHERE upload = ?1 AND position = ?2"
            if position > 0 {
                let previous = try connection.first(sql, .int(number), .int(position - 1)) { $0.int(0) }
                guard previous == Self.chunkSize else { return false }
            }
            try bytes.withBytesInPlace { bytes in
                _ = try connection.run("INSERT OR REPLACE INTO asset_chunks VALUES (?1, ?2, ?3)") { statement in
                    let result = statement.bind(int: number, at: 1) | statement.bind(int: position, at: 2)
                    return result | statement.bind(inPlace: bytes, at: 3)
                }
            }
            return true
        }
    }

    func read(_ upload: String, at offset: Int64, count: Int) async throws -> Data? {
        try await database.read { connection in
            guard let number = try connection.upload(named: upload) else { return nil }
            let sql = "SELECT bytes FROM asset_chunks WHERE upload = ?1 AND position = ?2"
            let bytes = try connection.first(sql, .int(number), .int(offset / Self.chunkSize)) { row in
                row.bytes(0).map { Data($0.prefix(count)) }
            }
            return (bytes ?? nil) ?? Data()
        }
    }

    func size(of upload: String) async throws -> Int64? {
        try await database.read { connection in
            guard let number = try connection.upload(named: upload) else { return nil }
            let sql = """
                SELECT position, length(bytes) FROM asset_chunks WHERE upload = ?1 ORDER BY position DESC LIMIT 1
                """
            return try connection.first(sql, .int(number)) { $0.int(0) &* Self.chunkSize &+ $0.int(1) } ?? 0
        }
    }

    /// Each transaction is in the log before the next one: the record of the content makes its chunks durable.
    func synchronize(_: String) async throws {}

    /// In several transactions: one for a large content would keep all other writers waiting.
    func remove(_ upload: String) async throws {
        while try await !removeLastChunks(of: upload) {}
    }

    /// - Returns: Whether nothing is left.
    private func removeLastChunks(of upload: String) async throws -> Bool {
        try await write { connection in
            guard let number = try connection.upload(named: upload) else { return true }
            let last = "SELECT max(position) FROM asset_chunks WHERE upload = ?1"
            try connection.run(
                "DELETE FROM asset_chunks WHERE upload = ?1 AND position > (\(last)) - 64", .int(number))
            let rest = "SELECT 1 FROM asset_chunks WHERE upload = ?1 LIMIT 1"
            if try connection.first(rest, .int(number), body: { _ in true }) != nil { return false }
            try connection.run("DELETE FROM asset_uploads WHERE number = ?1", .int(number))
            return true
        }
    }

    func uploads() async throws -> [String] {
        try await database.read { connection in
            var names: [String] = []
            try connection.forEachRow("SELECT name FROM asset_uploads") { row in
                names.append(row.text(0))
                return true
            }
            return names
        }
    }

    private func write<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await database.prepare()
        return try await database.writer.run { connection in
            try connection.write { try body(connection) }
        }
    }
}

extension Connection {
    fileprivate func upload(named name: String) throws -> Int64? {
        try first("SELECT number FROM asset_uploads WHERE name = ?1", .text(name)) { $0.int(0) }
    }
}
#endif
