#if PostgreSQL
import Foundation

@testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// A batch of a writer: it saves or deletes three records, depending on its number.
struct ClusterBatch {
    static let count = 3

    let number: Int
    let ids: [Record.ID]

    init(_ writer: String, _ number: Int) {
        self.number = number
        ids = (0..<Self.count).map {
            do { return try Record.ID(type: "Sample", name: "\(writer)-\(number % 40)/\($0)") } catch {
                fail("\(error)")
            }
        }
    }

    /// The value of the records; nil if they are deleted.
    var value: Record.Value? { number % 7 == 0 ? nil : .int(Int64(number)) }

    var batch: RecordBatch {
        get throws {
            guard let value else { return RecordBatch(deletingAnyVersionOf: ids) }
            return RecordBatch(saving: try ids.map { try Record(id: $0, fields: ["a": value]) }, savePolicy: .overwrite)
        }
    }
}

/// What a writer has noted in a file before and after each save.
struct ClusterLog {
    let name: String
    private let descriptor: Int32
    private(set) var notes: [(word: String, number: Int)]

    init(_ file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        descriptor = open(file.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        demand(descriptor >= 0, "no log: \(file.path)")
        notes = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let parts = line.split(separator: ":")
            return (String(parts[0]), Int(parts[1]) ?? 0)
        }
    }

    /// The number of the last batch.
    var number: Int { notes.last?.number ?? 0 }

    /// Notes what happens to the next batch, or what has happened to the last one.
    mutating func note(_ word: String) throws {
        let number = word == "begin" ? number + 1 : number
        notes = [(word, number)]
        var line = "\(word):\(number)\n"
        let count = line.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
        demand(count == line.utf8.count, "the log cannot be written")
    }

    /// Finds out what happened to the last batch of a writer that was killed.
    ///
    /// Its statement may still be in progress. When the connections of the writer have ended, the coordinator has decided,
    /// and when the workers have caught up, the decision is visible.
    mutating func resolve() async throws {
        guard notes.last?.word == "begin" else { return }
        let database = try ClusterRoles.database("resolve")
        let connections = Statement(
            "test", "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", [.text("torture-" + name)])
        while try await ClusterRoles.untilAnswered({ try await database.read(connections) }).integer(0, 0) != 0 {
            try await Task.sleep(for: .milliseconds(20))
        }
        while try await !ClusterRoles.untilAnswered({ try await database.workersCaughtUp() }) {}
        let batch = ClusterBatch(name, number)
        let records = try await ClusterRoles.untilAnswered { try await database.records(for: batch.ids) }
        let savedCount = records.count { $0["a"] == batch.value }
        let isSaved = batch.value == nil ? records.isEmpty : savedCount == ClusterBatch.count
        demand(
            isSaved || (batch.value == nil ? records.count == ClusterBatch.count : savedCount == 0), "torn: \(records)")
        try note(isSaved ? "found after a kill" : "lost after a kill")
        await database.close()
    }
}
#endif
