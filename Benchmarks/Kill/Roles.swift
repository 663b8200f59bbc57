import Foundation

/// What the programs do that the one that kills starts.
///
/// Each tells in lines what it does.
enum Roles {
    private static func tell(_ line: String) {
        var line = line + "\n"
        // At once, and whole: the program may be killed at any moment.
        line.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
    }

    /// Plays a role.
    static func play(_ role: String, path: String) async {
        do {
            switch role {
            case "write": try await keepWriting(path)
            case "read": try await keepReading(path)
            default: try await hold(path)
            }
        } catch FileRecordDatabaseError.Code.locked {
            tell("locked")
        } catch {
            tell("error \(error)")
        }
    }

    /// The system, which tells of what is worth being killed in.
    private static var system: FileSystem {
        var system = FileSystem()
        let (open, rename, write) = (system.open, system.rename, system.write)
        system.open = { path, flags, permissions in
            if path.contains(CompactionLeftover.mark), flags == OpenFlags.creating { tell("compaction +") }
            if path.hasSuffix(LogStore.creationSuffix) { tell("creation +") }
            return open(path, flags, permissions)
        }
        system.rename = { old, new in
            let code = rename(old, new)
            tell("compaction -")
            return code
        }
        system.write = { descriptor, bytes, offset in
            let isIndex = bytes.prefix(4).elementsEqual("NRXI".utf8)
            if isIndex { tell("index +") }
            if bytes.count >= 1 << 20, !isIndex { tell("piece") }
            let count = write(descriptor, bytes, offset)
            if isIndex { tell("index -") }
            return count
        }
        return system
    }

    /// Writes day after day, compacts now and then, closes and opens again.
    private static func keepWriting(_ path: String) async throws {
        var database = try FileRecordDatabase(path: path, options: .init(), system: system)
        tell("open \(database.recoveredByteCount)")
        var day = 0
        if case .int(let last)? = try await database.record(for: Record.ID("Voyage/1"))?["day"] { day = Int(last) }
        while true {
            day += 1
            tell("batch \(day)")
            try await database.save(day: day)
            tell("saved \(day)")
            if Int.random(in: 0..<12) == 0 { try await database.compact() }
            if Int.random(in: 0..<6) == 0 {
                tell("closing +")
                try await database.close()
                tell("closing -")
                database = try FileRecordDatabase(path: path, options: .init(), system: system)
            }
        }
    }

    /// Opens the file for reading again and again.
    private static func keepReading(_ path: String) async throws {
        while true {
            let database = try FileRecordDatabase(path: path, options: .readOnly)
            tell("day \(try await database.day())")
        }
    }

    /// Opens the file for writing, and keeps it.
    private static func hold(_ path: String) async throws {
        let database = try FileRecordDatabase(path: path, options: .init(), system: system)
        tell("open \(database.recoveredByteCount)")
        try await Task.sleep(for: .seconds(60))
        try await database.close()
    }
}
