import Foundation

@testable import NestedRecords
@testable import NestedRecordsFile
@testable import TestSupport

/// The roles of the programs that are killed.
///
/// Each program prints its actions in lines.
enum Roles {
    /// Plays a role.
    static func play(_ role: String, path: String) async {
        do {
            switch role {
            case "write": try await keepWriting(path)
            case "lie": try await keepWriting(path, acknowledgesTooEarly: true)
            case "read": try await keepReading(path)
            case "follow": try await keepFollowing(path)
            default: try await hold(path)
            }
        } catch RecordDatabaseError.Code.locked {
            say("locked")
        } catch {
            say("error \(error)")
        }
    }

    /// The system calls, which report the operations in which a kill matters.
    private static func system() -> FileSystem {
        var system = FileSystem()
        let (open, rename, write) = (system.open, system.rename, system.write)
        system.open = { path, flags, permissions in
            if path.contains(CompactionLeftover.mark), flags == OpenFlags.creating { say("compaction +") }
            if path.hasSuffix(FileCreation.suffix) { say("creation +") }
            return open(path, flags, permissions)
        }
        system.rename = { old, new in
            let code = rename(old, new)
            say("compaction -")
            return code
        }
        system.write = { descriptor, bytes, offset in
            let isIndex = bytes.prefix(4).elementsEqual("NRXI".utf8)
            if isIndex { say("index +") }
            if bytes.count >= 1 << 20, !isIndex { say("piece") }
            let count = write(descriptor, bytes, offset)
            if isIndex { say("index -") }
            return count
        }
        return system
    }

    /// Writes day after day, sometimes compacts while it writes, closes and opens again.
    private static func keepWriting(_ path: String, acknowledgesTooEarly: Bool = false) async throws {
        let system = system()
        var database = try FileRecordDatabase(path: path, options: .init(), system: system)
        try await database.prepare()
        say("open \(database.recoveredByteCount)")
        var day = 0
        if case .int(let last)? = try await database.record(for: Record.ID("Voyage/1"))?["day"] { day = Int(last) }
        while true {
            day += 1
            say("batch \(day)")
            if acknowledgesTooEarly { say("saved \(day)") }
            if Int.random(in: 0..<12) == 0 {
                let database = database
                Task {
                    do {
                        try await database.compact()
                    } catch RecordDatabaseError.Code.closed {} catch {
                        say("error \(error)")
                    }
                }
            }
            try await database.save(day: day)
            say("saved \(day)")
            if Int.random(in: 0..<6) == 0 {
                say("closing +")
                try await database.close()
                say("closing -")
                database = try FileRecordDatabase(path: path, options: .init(), system: system)
            }
        }
    }

    /// Repeatedly opens the file for reading.
    private static func keepReading(_ path: String) async throws {
        while true {
            let database = try FileRecordDatabase(path: path, options: .readOnly)
            say("day \(try await database.day())")
        }
    }

    /// Opens the file for reading once, and follows its changes.
    private static func keepFollowing(_ path: String) async throws {
        let database = try FileRecordDatabase(path: path, options: .readOnly)
        var follower = ChangeFollower(token: try await database.changeToken())
        repeat {
            follower = try await ChangeFollower(snapshotOf: database)
        } while follower.records.isEmpty
        while true {
            say("day \(try FileRecordDatabase.day(of: follower.records.values))")
            try await database.waitForChanges(after: follower.token)
            try await follower.catchUp(with: database, limit: .random(in: 1...100))
        }
    }

    /// Opens the file for writing, and keeps it.
    private static func hold(_ path: String) async throws {
        let database = try FileRecordDatabase(path: path, options: .init(), system: system())
        try await database.prepare()
        say("open \(database.recoveredByteCount)")
        try await Task.sleep(for: .seconds(60))
        try await database.close()
    }
}
