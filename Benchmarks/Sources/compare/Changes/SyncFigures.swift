import Foundation
import NestedRecords
import NestedRecordsFile
import NestedRecordsSync
import Synchronization

/// Synchronizations of record files, beside a plain copy of the same records.
struct SyncFigures {
    private let counts: [Int]
    private let folder: URL

    init(isQuick: Bool) throws {
        counts = isQuick ? [10_000] : [100_000, 1_000_000]
        folder = try TemporaryFolder.make()
    }

    func run() async throws -> Section {
        defer { try? FileManager.default.removeItem(at: folder) }
        var section = Section("sync", "first pulls in processes of their own; later rounds of \(counts[0]) records")
        for count in counts {
            let paths = ["server", "copy", "device"].map { folder.appending(path: "\($0)-\(count)") }
            try await fill(paths[0].path, count)
            for (kind, path) in [(FirstPull.Kind.copy, paths[1]), (.pull, paths[2])] {
                let pull = try FirstPull(kind, from: paths[0].path, to: path.path)
                section.add("\(kind.title), \(count) records", pull.seconds, "s")
                section.add("peak memory", pull.peak / 1e6, "MB")
            }
            if count == counts[0] {
                try await addRounds(paths[0].path, paths[2].path, to: &section)
                let sizes = try paths.dropFirst().map { try FileManager.default.fileSize(at: $0) }
                section.add("file of the copy", sizes[0] / 1e6, "MB")
                section.add("file with the states of a synchronization", sizes[1] / 1e6, "MB")
            }
            for path in paths { try FileManager.default.removeItem(at: path) }
        }
        return section
    }

    private func fill(_ path: String, _ count: Int) async throws {
        let (database, records) = (try FirstPull.open(path), StorageRecords())
        for start in stride(from: 0, to: count, by: 50_000) {
            try await database.commit(RecordBatch(saving: records.records(start..<min(start + 50_000, count))))
        }
        try await database.close()
    }

    /// A round with nothing to do, and one with a changed record.
    private func addRounds(_ server: String, _ device: String, to section: inout Section) async throws {
        let (remote, local) = (try FirstPull.open(server), try FirstPull.open(device))
        let calls = Calls()
        let sync = try RecordSync(
            MonitoredRecordDatabase(local) { calls.note($0, "local") },
            with: MonitoredRecordDatabase(remote) { calls.note($0, "remote") }, named: "cloud")
        for _ in 0..<2 { try await sync.synchronize() }
        for (title, isChanged) in [("round with nothing to do", false), ("round with one changed record", true)] {
            let sizes = try [server, device].map { try FileManager.default.fileSize(at: URL(filePath: $0)) }
            if isChanged {
                let record = try StorageRecords().record(0, version: 1)
                try await local.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
            }
            _ = calls.take()
            let seconds = try await time { try await sync.synchronize() }.seconds
            section.add(title, seconds * 1e3, "ms")
            for (name, count) in calls.take().sorted(by: { $0.key < $1.key }) {
                section.add("  \(name)", Double(count), "")
            }
            for (name, size) in zip([("remote", server), ("local", device)], sizes) {
                let growth = try FileManager.default.fileSize(at: URL(filePath: name.1)) - size
                section.add("  bytes written, \(name.0)", growth, "B")
            }
        }
        try await local.compact()
        try await remote.close()
        try await local.close()
    }

    /// The calls of both databases, counted by side and function.
    private final class Calls: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func note(_ call: MonitoredRecordDatabase.Call, _ side: String) {
            counts.withLock { $0["calls, \(side) \(call.function)", default: 0] += 1 }
        }

        func take() -> [String: Int] {
            counts.withLock { counts in
                defer { counts = [:] }
                return counts
            }
        }
    }
}

/// The records of a file in a new one, made in a process of its own.
struct FirstPull: Codable {
    enum Kind: String {
        case copy
        case pull

        var title: String { self == .copy ? "plain copy" : "first pull" }
    }

    /// The seconds of the work, and the peak of the memory in bytes.
    var seconds: Double
    var peak: Double

    static let command = "pull"

    /// Starts the process.
    init(_ kind: Kind, from source: String, to target: String) throws {
        self = try ChildProcess.answer(Self.command, kind.rawValue, source, target)
    }

    /// The work of the process.
    init(in arguments: [String]) async throws {
        guard arguments.count == 3, let kind = Kind(rawValue: arguments[0]) else {
            throw SQLiteFailure(message: "pull KIND SOURCE TARGET")
        }
        let (source, target) = (try Self.open(arguments[1]), try Self.open(arguments[2]))
        seconds = try await time {
            switch kind {
            case .copy: try await Self.copy(source, to: target)
            case .pull: try await RecordSync(target, with: source, named: "cloud").synchronize()
            }
        }.seconds
        peak = ProcessMemory.figure("VmHWM")
        try await target.close()
        if kind == .copy {
            // Without the space of the log, as the other file is measured.
            let database = try Self.open(arguments[2])
            try await database.compact()
            try await database.close()
        }
        try await source.close()
    }

    private static func copy(_ source: FileRecordDatabase, to target: FileRecordDatabase) async throws {
        var batch = RecordBatch()
        for try await record in source.records(ofType: nil) {
            batch.saves.append(try Record(id: record.id, fields: record.fields))
            guard batch.saves.count == 1_000 else { continue }
            try await target.commit(batch)
            batch.saves = []
        }
        if !batch.isEmpty { try await target.commit(batch) }
    }

    static func open(_ path: String) throws -> FileRecordDatabase {
        var options = FileRecordDatabase.Options()
        options.durability = .relaxed
        return try FileRecordDatabase(path: path, options: options)
    }
}
