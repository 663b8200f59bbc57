#if PostgreSQL
import Foundation

@testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// The programs of run-cluster: writers, which are killed, a reader of the feed, and the check at the end.
enum ClusterRoles {
    /// Plays a role.
    ///
    /// - Parameter path: The folder; for a writer, the file of its log in the folder.
    static func play(_ role: String, path: String) async throws {
        let folder = URL(filePath: path)
        switch role {
        case "prepare":
            let database = try database("prepare")
            _ = try await database.pool.execute(
                [Statement("test", "DROP SCHEMA IF EXISTS torture CASCADE")], isRepeatable: true)
            try await database.prepare(distribution: .citus(shardCount: 8))
        case "write": try await keepWriting(folder)
        case "read": try await follow(folder)
        case "resolve":
            var log = try ClusterLog(folder)
            try await log.resolve()
        case "check": try await check(folder)
        default: throw Loss(description: "no role: \(role)")
        }
    }

    static func database(_ name: String) throws -> PostgreSQLRecordDatabase {
        var components = URLComponents(string: ProcessInfo.processInfo.environment["NESTED_RECORDS_CITUS"] ?? "")
        components?.queryItems = [URLQueryItem(name: "application_name", value: "torture-\(name)")]
        var options = PostgreSQLRecordDatabase.Options()
        (options.schema, options.poolSize) = ("torture", 2)
        return try PostgreSQLRecordDatabase(connection: components?.string ?? "", options: options)
    }

    /// Repeats while the servers end and start.
    static func untilAnswered<Result>(_ body: () async throws -> Result) async throws -> Result {
        while true {
            do { return try await body() } catch let failure as RecordDatabaseError where failure.isTransient {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private static func keepWriting(_ file: URL) async throws {
        var log = try ClusterLog(file)
        try await log.resolve()
        let database = try database(log.name)
        while true {
            let batch = ClusterBatch(log.name, log.number + 1)
            try log.note("begin")
            do {
                try await database.commit(batch.batch)
            } catch let failure as RecordDatabaseError {
                guard let id = failure.batchID else {
                    // A refused statement is no fault while servers end.
                    try log.note(failure.isTransient ? "refused" : "failed")
                    say("\(failure)")
                    try await Task.sleep(for: .milliseconds(100))
                    continue
                }
                let saved = try await untilAnswered { try await database.outcome(of: id) }
                try log.note(saved != nil ? "found" : "lost")
                continue
            }
            try log.note("saved")
        }
    }

    /// Follows the feed until the folder has a file with the name `end` and the feed has ended; then writes the copy.
    private static func follow(_ folder: URL) async throws {
        let database = try database("reader")
        var token = try await database.oldestChangeToken()
        var (copy, pages, torn, quietPages) = ([String: Record.Value](), 0, 0, 0)
        let end = folder.appending(path: "end").path
        while quietPages < 10 {
            let changes = try await untilAnswered { try await database.changes(since: token, limit: 50) }
            pages += 1
            for record in changes.saved { copy[record.id.name] = record["a"] }
            for id in changes.deleted { copy[id.name] = nil }
            var isQuiet = changes.token == token && FileManager.default.fileExists(atPath: end)
            if isQuiet { isQuiet = try await untilAnswered { try await database.changeToken() } == token }
            quietPages = isQuiet ? quietPages + 1 : 0
            token = changes.token
            guard changes.isComplete else { continue }
            let batches = Dictionary(grouping: copy) { $0.key.prefix { $0 != "/" } }
            torn += batches.values.count { $0.count != ClusterBatch.count || Set($0.map(\.value)).count != 1 }
        }
        try text(copy).write(to: folder.appending(path: "copy"), atomically: true, encoding: .utf8)
        say("\(pages) pages of the feed, \(torn) torn batches in the copy")
        if torn > 0 { exit(1) }
    }

    private static func text(_ values: [String: Record.Value]) -> String {
        values.map { "\($0.key) \($0.value)\n" }.sorted().joined()
    }

    /// Compares the logs of the writers, the table and the copy.
    private static func check(_ folder: URL) async throws {
        var (model, counts) = ([String: Record.Value](), [String: Int]())
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "log" {
            let log = try ClusterLog(file)
            for (word, number) in log.notes {
                counts[word, default: 0] += 1
                guard ["saved", "found", "found after a kill"].contains(word) else { continue }
                let batch = ClusterBatch(log.name, number)
                for id in batch.ids { model[id.name] = batch.value }
            }
        }
        var table: [String: Record.Value] = [:]
        for try await record in try database("check").records(ofType: nil) { table[record.id.name] = record["a"] }
        let copy = try String(contentsOf: folder.appending(path: "copy"), encoding: .utf8)
        say(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
        guard text(model) == text(table), text(table) == copy else {
            for (name, values) in [("model", model), ("table", table)] {
                try text(values).write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
            }
            throw Loss(
                description: "the logs, the table and the copy differ: see model, table and copy in \(folder.path)")
        }
        say("the logs, the table and the copy agree about \(table.count) records")
    }
}
#endif
