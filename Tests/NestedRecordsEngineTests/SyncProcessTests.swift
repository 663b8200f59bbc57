import Foundation
import HTTPTestSupport
import NestedRecords
import NestedRecordsFile
import NestedRecordsHTTP
import TestSupport
import Testing

#if SQLite
import NestedRecordsSQLite
#endif

/// Processes that edit databases of their own and synchronize them with one database, and are killed at random.
///
/// What must be true is known from the lines that they have written.
@Suite struct SyncProcessTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// How long the processes run with each database.
    private static let seconds = environment["SYNC_SECONDS"].flatMap { Double($0) } ?? 8

    /// The only kind of the common database, `sqlite` or `postgresql`; nil for both.
    private static let kind = environment["SYNC_KIND"]

    #if SQLite
    private typealias Device = (name: String, kind: String, path: String)

    @Test(.enabled(if: ChildProcess.isThere))
    func killedProcessesLoseNothingAndCountExactly() async throws {
        let folder = try TemporaryFolder()
        for hub in try await Engine.all(in: folder, indexes: [], now: { Date() }) {
            guard let arguments = hub.processArguments, arguments[0] == Self.kind ?? arguments[0] else { continue }
            var cutCount = 0
            let counts = try await run(with: hub, arguments, in: folder) {
                if arguments[0] == "postgresql", Int.random(in: 0..<4) == 0, try cutConnections(to: arguments[1]) {
                    cutCount += 1
                }
            } beforeEnd: {
            }
            print("\(hub.name): \(counts), all connections ended \(cutCount) times")
            try await hub.end()
        }
    }

    #if canImport(Glibc)
    /// The last kind is PostgreSQL if there is a server.
    @Test(.enabled(if: ChildProcess.isThere))
    func killedClientsOfAServiceLoseNothingAndCountExactly() async throws {
        let folder = try TemporaryFolder()
        let engines = try await Engine.all(in: folder, indexes: [], now: { Date() })
        let hub = try #require(engines.last { $0.processArguments?[0] == Self.kind ?? $0.processArguments?[0] })
        let database = hub.database
        let server = try SocketServer(RecordDatabaseService(of: database, options: .unhurried))
        server.faultShare.withLock { $0 = 0.2 }
        let counts = try await run(with: hub, ["service", server.url.absoluteString], in: folder) {
        } beforeEnd: {
            server.faultShare.withLock { $0 = 0 }
        }
        print(
            "service on \(hub.name): \(counts), \(server.requestCount.withLock { $0 }) requests,"
                + " \(server.faultCount.withLock { $0 }) of them with a fault")
        server.close()
        for engine in engines { try await engine.end() }
    }
    #endif

    /// Runs three processes, and compares what they have written with what all databases have at the end.
    ///
    /// - Returns: How often processes were killed, and how many lines they have written.
    private func run(
        with hub: Engine, _ arguments: [String], in folder: TemporaryFolder, afterKill: () throws -> Void,
        beforeEnd: () -> Void
    ) async throws -> String {
        let shared = try (0..<8).map {
            try Record(id: Record.ID(type: "Card", name: "shared\($0)"), fields: ["count": 0, "list": []])
        }
        try await hub.database.commit(RecordBatch(saving: shared))
        let devices: [Device] = [("a", "file"), ("b", "file"), ("c", "sqlite")].map { name, kind in
            (name: name, kind: kind, path: folder.path("\(arguments[0])-\(name)"))
        }
        func start(_ role: String, _ device: Device) throws -> ChildProcess {
            try ChildProcess([role, device.name, device.kind, device.path] + arguments)
        }
        var lines: [[String]] = devices.map { _ in [] }
        var running = try devices.map { try start("synchronizer", $0) }
        var killCount = 0
        let end = Date(timeIntervalSinceNow: Self.seconds)
        while Date() < end {
            try await Task.sleep(for: .milliseconds(Int.random(in: 50..<600)))
            let position = Int.random(in: devices.indices)
            running[position].kill()
            lines[position] += running[position].lines
            running[position] = try start("synchronizer", devices[position])
            killCount += 1
            try afterKill()
        }
        beforeEnd()
        for (position, process) in running.enumerated() {
            #expect(process.stop(), "\(process.lines.suffix(1))")
            lines[position] += process.lines
        }
        for _ in 0..<2 {
            for (position, device) in devices.enumerated() {
                let finisher = try start("finisher", device)
                #expect(finisher.stop(), "\(finisher.lines.suffix(1))")
                lines[position] += finisher.lines
            }
        }
        let contents = try await hub.database.contents()
        for device in devices {
            let found =
                device.kind == "file"
                ? try await FileRecordDatabase(path: device.path).contents()
                : try await SQLiteRecordDatabase(path: device.path).contents()
            #expect(found == contents, "\(hub.name), \(device.name)")
        }
        judge(lines.flatMap(\.self), contents)
        return "\(killCount) processes killed, \(lines.joined().count) lines"
    }
    #endif

    /// Has a PostgreSQL server end its connections.
    ///
    /// - Returns: Whether its client was found, which says so to the server.
    private func cutConnections(to server: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "psql", "-qAt", server, "-c",
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
            """,
        ]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Compares what the processes have written with the contents that all databases have.
    private func judge(_ lines: [String], _ contents: [Record.ID: Record.Fields]) {
        struct Edit: Hashable {
            let kind: String
            let name: String
            let value: String
        }
        var (tried, done): ([Edit], Set<Edit>) = ([], [])
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            #expect(words.first != "wrong", "\(line)")
            #expect(!(words.first == "conflict" && !words[1].hasPrefix("shared")), "\(line): it has one writer")
            guard words.count == 4 else { continue }
            let edit = Edit(kind: words[1], name: words[2], value: words[3])
            switch words[0] {
            case "try": tried.append(edit)
            case "did": done.insert(edit)
            case "lost": tried.removeAll { $0 == edit }
            default: break
            }
        }
        #expect(done.count > 20)
        let fields = Dictionary(uniqueKeysWithValues: contents.map { ($0.key.name, $0.value) })
        for name in Set(tried.map(\.name)) {
            let own = tried.filter { $0.name == name }
            let counts = own.filter { $0.kind == "count" }
            if case .int(let count)? = fields[name]?["count"] {
                #expect(count >= counts.count(where: done.contains) && count <= counts.count, "the counter of \(name)")
            }
            if case .list(let list)? = fields[name]?["list"] {
                let additions = own.filter { $0.kind == "list" }
                #expect(Set(list).count == list.count, "an element of \(name) is there twice")
                #expect(Set(list).isSubset(of: additions.map { .string($0.value) }))
                #expect(Set(list).isSuperset(of: additions.filter(done.contains).map { .string($0.value) }))
            }
            let texts = own.filter { $0.kind == "text" }
            guard let last = texts.lastIndex(where: done.contains) else { continue }
            #expect(texts[last...].contains { fields[name]?["text"] == .string($0.value) }, "the text of \(name)")
        }
    }
}

extension RecordDatabase {
    fileprivate func contents() async throws -> [Record.ID: Record.Fields] {
        var contents: [Record.ID: Record.Fields] = [:]
        for try await record in records(ofType: nil) { contents[record.id] = record.fields }
        return contents
    }
}
