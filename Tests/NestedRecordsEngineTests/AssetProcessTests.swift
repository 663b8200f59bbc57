import Foundation
import NestedRecordsFile
import TestSupport
import Testing

@testable import NestedRecords

#if SQLite
@testable import NestedRecordsSQLite
#endif

/// Processes that add, name and collect contents, and are killed.
@Suite(.enabled(if: ChildProcess.isThere)) struct AssetProcessTests {
    static let environment = ProcessInfo.processInfo.environment
    private static let killCount = environment["ASSET_KILLS"].flatMap { Int($0) } ?? 6

    /// The only database whose processes are killed: `file`, `sqlite` or `postgresql`; nil for all.
    private static let kind = environment["ASSET_KIND"]

    /// The size of a file of which more than a part must not be in memory; without it, the test takes too long in debug builds.
    static let megabyteCount = environment["ASSET_MEGABYTES"].flatMap { Int($0) } ?? 0

    /// What is known from the lines of the processes.
    private struct Knowledge {
        var present: Set<String> = []
        var possible: Set<String> = []

        mutating func learn(from lines: [String], of name: String) {
            for words in lines.map({ $0.split(separator: " ") }) {
                let record = "\(name)-\(words[1])"
                switch words[0] {
                case "save": possible.insert(record)
                case "saved": present.insert(record)
                case "delete": present.remove(record)
                case "deleted", "missing": possible.remove(record)
                default: break
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func killedProcessesLeaveWholeContentsAndNothingForever() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("killed")
        if Self.kind ?? "file" == "file" {
            try await kill(["file", path], processCount: 1) { check in
                let database = try FileRecordDatabase(path: path)
                try await check(database)
                try await database.close()
            } bytes: { _ in
                let names = (try? FileManager.default.subpathsOfDirectory(atPath: path + ".assets")) ?? []
                return Set(names.filter { $0.contains("/") }.map { String($0.dropFirst(3)) })
            }
        }
        for engine in try await Engine.all(in: folder, indexes: [], now: { Date() }) {
            if let arguments = engine.processArguments, arguments[0] == Self.kind ?? arguments[0] {
                try await kill(arguments, processCount: 2) {
                    try await $0(engine.database)
                } bytes: { database in
                    #if SQLite
                    if let database = database as? SQLiteRecordDatabase {
                        return try await database.read { connection in
                            var names: Set<String> = []
                            try connection.forEachRow("SELECT name FROM asset_uploads") { row in
                                names.insert(row.text(0))
                                return true
                            }
                            return names
                        }
                    }
                    #endif
                    return nil
                }
            }
            try await engine.end()
        }
    }

    /// - Parameters:
    ///   - open: Calls a closure with the database.
    ///   - bytes: The uploads that have bytes; nil if that is not known.
    private func kill(
        _ arguments: [String], processCount: Int,
        open: ((any RecordDatabase) async throws -> Void) async throws -> Void,
        bytes: @escaping (any RecordDatabase) async throws -> Set<String>?
    ) async throws {
        var (known, collectedCount) = (Knowledge(), 0)
        var arguments = arguments
        if arguments[0] == "postgresql" { arguments[1] = keeperConnection(arguments[1]) }
        for round in 1...Self.killCount {
            let names = (0..<processCount).map { "r\(round)p\($0)" }
            let processes = try names.map { try ChildProcess(["keeper", $0] + arguments) }
            let lineCount = Int.random(in: 1...12)
            try await waitUntil("it does not go on: \(processes[0].lines)") {
                processes[0].lines.count >= lineCount || processes[0].lines.contains { $0.hasPrefix("wrong") }
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000)))
            processes[0].kill()
            for process in processes.dropFirst() { #expect(process.stop(), "\(process.lines.suffix(1))") }
            for (name, process) in zip(names, processes) {
                #expect(!process.lines.contains { $0.hasPrefix("wrong") }, "\(process.lines.suffix(1))")
                known.learn(from: process.lines, of: name)
            }
            if arguments[0] == "postgresql" { try await waitForStatements(arguments[1]) }
            try await open { database in
                let found = try await named(in: database)
                #expect(known.present.isSubset(of: found.keys) && known.possible.isSuperset(of: found.keys))
                let assets = RecordStore(database).assets
                for asset in found.values { _ = try await assets.data(of: asset) }
                // What was left by a process that was killed is also to be met by others that follow.
                if round.isMultiple(of: 4) || round == Self.killCount {
                    collectedCount += try await expectNothingElse(than: found, in: database, bytes: bytes)
                }
                let rest = Set(found.keys.sorted().suffix(6))
                try await database.commit(
                    RecordBatch(
                        deletingAnyVersionOf: try found.keys.filter { !rest.contains($0) }.map {
                            try Record.ID(type: "Kept", name: $0)
                        }))
                (known.present, known.possible) = (rest, rest)
            }
        }
        print("\(arguments[0]): \(Self.killCount) kills, \(collectedCount) contents and uploads collected")
    }

    private func keeperConnection(_ connection: String) -> String {
        guard connection.hasPrefix("postgres") else { return connection + " application_name=keeper" }
        return connection + (connection.contains("?") ? "&" : "?") + "application_name=keeper"
    }

    /// Waits for the connections of the processes: a server ends a statement that it has received after its client was killed.
    private func waitForStatements(_ connection: String) async throws {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'keeper'"
        let own = connection.replacing("application_name=keeper", with: "application_name=judge")
        try await waitUntil("connections of processes are left") {
            try Article.output(of: "psql", ["-qAt", own, "-c", sql]).hasPrefix("0\n")
        }
    }

    private func named(in database: any RecordDatabase) async throws -> [String: RecordAsset] {
        var named: [String: RecordAsset] = [:]
        for try await record in database.storedRecords(ofType: "Kept") {
            guard case .asset(let asset)? = record["photo"] else { throw ContractFailure() }
            named[record.id.name] = asset
        }
        return named
    }

    private struct ContractFailure: Error {}

    /// Collects, and expects the named contents, with their bytes, and nothing else.
    private func expectNothingElse(
        than named: [String: RecordAsset], in database: any RecordDatabase,
        bytes: (any RecordDatabase) async throws -> Set<String>?
    ) async throws -> Int {
        let assets = RecordStore(database).assets
        let collection = try await assets.collect(olderThan: .zero - .seconds(60))
        for asset in named.values { _ = try await assets.data(of: asset) }
        let contents = try await assets.contents(limit: 100)
        #expect(Set(contents.map(\.hash)) == Set(named.values.map(\.hash)))
        for try await record in database.storedRecords(ofType: UploadRecord.recordType) {
            Issue.record("\(record.id) is left")
        }
        if let uploads = try await bytes(database) { #expect(uploads == Set(contents.map(\.upload))) }
        return collection.contentCount + collection.uploadCount
    }

    #if canImport(Glibc)
    @Test(.enabled(if: megabyteCount > 0), .timeLimit(.minutes(60)))
    func largeFilesGoInAndOutInLittleMemory() async throws {
        let folder = try TemporaryFolder()
        let (file, copy) = (folder.path("original"), folder.path("copy"))
        var random = SplitMix64(seed: 73)
        try Data().write(to: URL(fileURLWithPath: file))
        let handle = try #require(FileHandle(forWritingAtPath: file))
        for _ in 0..<Self.megabyteCount {
            var part = Data(capacity: 1 << 20)
            while part.count < 1 << 20 { withUnsafeBytes(of: random.next()) { part.append(contentsOf: $0) } }
            try handle.write(contentsOf: part)
        }
        try handle.close()
        let engines = try await Engine.all(in: folder, indexes: [], now: { Date() })
        for arguments in [["file", folder.path("large")]] + engines.compactMap(\.processArguments) {
            let process = try ChildProcess(["meter", file, copy] + arguments)
            #expect(process.stop(), "\(process.lines)")
            let growth = process.lastNumber("peak") - process.lastNumber("before")
            print("\(arguments[0]), \(Self.megabyteCount) MiB: \(process.lines.joined(separator: ", "))")
            #expect(growth < 32 << 10, "\(arguments[0]): \(process.lines)")
            #expect(FileManager.default.contentsEqual(atPath: file, andPath: copy), "\(arguments[0])")
        }
        for engine in engines { try await engine.end() }
    }
    #endif
}
