import Foundation
import GRDB
@_spi(Engines) import NestedRecords

/// GRDB with a pool, as its guide recommends, and made durable.
final class GRDBEngine: StorageEngine {
    static let name = "grdb"
    private let pool: DatabasePool

    init(path: String) throws {
        pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: SQLiteConnection.schema) }
        // After its preparation a pool sets NORMAL, which can lose saves in a loss of power.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    }

    func save(_ records: [NestedRecords.Record]) async throws {
        try await pool.write { database in
            var writer = RecordWriter()
            let statement = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO record (type, name, body) VALUES (?, ?, ?)")
            for record in records {
                try statement.execute(arguments: [record.id.type, record.id.name, Data(try writer.bytes(of: record))])
            }
        }
    }

    func fetch(_ ids: [NestedRecords.Record.ID]) async throws -> Int {
        try await pool.read { database in
            var reader = RecordReader()
            var records: [NestedRecords.Record] = []
            let statement = try database.cachedStatement(sql: "SELECT body FROM record WHERE type = ? AND name = ?")
            for id in ids {
                let rows = try Row.fetchCursor(statement, arguments: [id.type, id.name])
                while let row = try rows.next() { records.append(try reader.record(inFirstColumnOf: row)) }
            }
            return records.reduce(0) { $0 + $1.fields.count }
        }
    }

    func scan(type: String?) async throws -> Int {
        try await pool.read { database in
            var reader = RecordReader()
            var fields = 0
            let rows =
                if let type {
                    try Row.fetchCursor(database, sql: "SELECT body FROM record WHERE type = ?", arguments: [type])
                } else {
                    try Row.fetchCursor(database, sql: "SELECT body FROM record")
                }
            while let row = try rows.next() { fields += try reader.record(inFirstColumnOf: row).fields.count }
            return fields
        }
    }

    func compact() async throws { try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }

    func close() throws { try pool.close() }
}

extension RecordReader {
    /// Reads a record where the row holds it, without a copy.
    fileprivate mutating func record(inFirstColumnOf row: Row) throws -> NestedRecords.Record {
        try row.withUnsafeData(atIndex: 0) { data in
            guard let data else { throw SQLiteFailure(message: "the row has no body") }
            return try data.withUnsafeBytes { try record(from: $0) }
        }
    }
}
