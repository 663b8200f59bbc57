#if PostgreSQL
import Foundation
@_spi(Engines) import NestedRecords

/// The bytes of assets in a table beside the records, one row a chunk.
struct PostgreSQLAssetChunks: AssetChunks {
    let database: PostgreSQLRecordDatabase

    private static let chunkSize = Int64(AssetContent.chunkSize)
    private var tables: Tables { database.tables }

    func begin(_ upload: String) async throws {
        _ = try await execute("INSERT INTO \(tables.uploads) VALUES ($1) ON CONFLICT DO NOTHING", [.text(upload)])
    }

    /// The row of the upload is locked, so that a removal waits for the chunk, or the chunk finds no upload.
    func write(_ bytes: Data, to upload: String, at offset: Int64) async throws -> Bool {
        let position = offset / Self.chunkSize
        let answer = try await execute(
            """
            INSERT INTO \(tables.chunks) AS c (upload, position, bytes)
            SELECT u.name, $2, $3 FROM \(tables.uploads) u
            WHERE u.name = $1 AND ($2 = 0 OR EXISTS (
                SELECT 1 FROM \(tables.chunks) p
                WHERE p.upload = $1 AND p.position = $2 - 1 AND length(p.bytes) = $4))
            FOR KEY SHARE OF u
            ON CONFLICT (upload, position) DO UPDATE SET bytes = excluded.bytes RETURNING 1
            """, [.text(upload), .integer(position), .bytes(Array(bytes)), .integer(Self.chunkSize)])
        return answer.count == 1
    }

    func read(_ upload: String, at offset: Int64, count: Int) async throws -> Data? {
        let answer = try await execute(
            """
            SELECT substring(c.bytes FROM 1 FOR $3::integer) FROM \(tables.uploads) u
            LEFT JOIN \(tables.chunks) c ON c.upload = u.name AND c.position = $2 WHERE u.name = $1
            """, [.text(upload), .integer(offset / Self.chunkSize), .integer(Int64(count))])
        if answer.count == 0 { return nil }
        return answer.withBytes(0, 0) { Data($0) } ?? Data()
    }

    func size(of upload: String) async throws -> Int64? {
        let answer = try await execute(
            """
            SELECT coalesce((
                SELECT c.position * $2 + length(c.bytes) FROM \(tables.chunks) c
                WHERE c.upload = u.name ORDER BY c.position DESC LIMIT 1), 0)
            FROM \(tables.uploads) u WHERE u.name = $1
            """, [.text(upload), .integer(Self.chunkSize)])
        return answer.count == 0 ? nil : answer.integer(0, 0)
    }

    /// The server has made each transaction durable before it answered, or makes all of them durable with the record.
    func synchronize(_: String) async throws {}

    func remove(_ upload: String) async throws {
        _ = try await execute("DELETE FROM \(tables.uploads) WHERE name = $1", [.text(upload)])
    }

    func uploads() async throws -> [String] {
        let answer = try await execute("SELECT name FROM \(tables.uploads)", [])
        return (0..<answer.count).compactMap { answer.text($0, 0) }
    }

    /// Executes a statement that has the same effect if it is executed twice.
    private func execute(_ text: String, _ parameters: [Parameter]) async throws -> Answer {
        let statement = Statement("store or read an asset", text, parameters, isKept: true)
        let answers = try await database.reportingMissingTables {
            try await database.pool.execute([statement], isRepeatable: true)
        }
        guard let answer = answers.last else {
            throw RecordDatabaseError(.corrupt, reason: "the server has not answered a statement")
        }
        return answer
    }
}
#endif
