import NestedRecords
import NestedRecordsFile

/// The library's own file.
struct FileEngine: StorageEngine {
    static let name = "file"
    let database: FileRecordDatabase

    init(path: String) throws {
        database = try FileRecordDatabase(path: path)
    }

    func save(_ records: [Record]) async throws {
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
    }

    func fetch(_ ids: [Record.ID]) async throws -> Int {
        try await database.records(for: ids).reduce(0) { $0 + $1.fields.count }
    }

    func scan(type: String?) async throws -> Int {
        var fields = 0
        for try await record in database.records(ofType: type) { fields += record.fields.count }
        return fields
    }

    func compact() async throws { try await database.compact() }

    func close() async throws { try await database.close() }
}
