#if PostgreSQL && canImport(Glibc)
import Foundation
import Glibc
import TestSupport
import Testing

/// A server of a test alone, which ends it.
final class OwnServer: Sendable {
    /// The folder of PostgreSQL's programs; empty if there is none.
    private static let programs =
        ProcessInfo.processInfo.environment["NESTED_RECORDS_POSTGRESQL_PROGRAMS"] ?? ""

    static let isPossible = !programs.isEmpty

    static let reason: Comment =
        "there are no programs of a server: run the tests with Scripts/with-postgresql"

    private let folder: TemporaryFolder
    private let data: String
    let port: UInt16
    private let options: String

    /// Makes a new server.
    ///
    /// - Parameters:
    ///   - disk: Where its log of changes is; nil if with the rest.
    ///   - settings: Of `postgresql.conf`, as `name=value`.
    ///   - prepare: Called with the server's folder before it starts.
    convenience init(
        logOn disk: SmallDisk? = nil, _ settings: [String] = [], prepare: (URL) throws -> Void = { _ in }
    ) throws {
        try self.init(settings) { place in
            var log = ""
            if let disk {
                let place = disk.url.appendingPathComponent("log")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
                try place.giveToServer(mode: 0o700)
                log = " --waldir '\(place.path)'"
            }
            try prepare(place)
            return "initdb -A trust -U postgres -E UTF8 --locale=C --wal-segsize=1 --no-sync" + log
        }
    }

    /// Makes a replica of another server.
    convenience init(replicaOf server: OwnServer) throws {
        try self.init([]) { _ in
            "pg_basebackup -h 127.0.0.1 -p \(server.port) -U postgres -R -c fast --no-sync"
        }
    }

    /// - Parameter command: Gives the command that fills the folder of data, for the folder that it is in.
    private init(_ settings: [String], _ command: (URL) throws -> String) throws {
        folder = try TemporaryFolder()
        let place = folder.url.appendingPathComponent("server")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try place.giveToServer(mode: 0o755)
        data = place.appendingPathComponent("data").path
        port = try Self.freePort()
        let settings =
            ["listen_addresses=127.0.0.1", "fsync=off", "min_wal_size=2MB", "max_wal_size=4MB"] + settings
        options = settings.map { "-c \($0)" }.joined(separator: " ") + " -p \(port) -k '\(place.path)'"
        let line = "'\(Self.programs)'/\(try command(place)) -D '\(data)' >'\(place.path)/log' 2>&1"
        try Self.run(["/bin/sh", "-c", line])
        try start()
    }

    /// Starts the server, if it has ended.
    func start() throws {
        try Self.run([
            Self.programs + "/pg_ctl", "-D", data, "-s", "-w", "-l", data + "/../log", "-o", options, "start",
        ])
    }

    /// Kills the server, if it has not ended.
    func stop() {
        guard FileManager.default.fileExists(atPath: data + "/postmaster.pid") else { return }
        // It may have ended by itself.
        _ = try? Self.status(of: [Self.programs + "/pg_ctl", "-D", data, "-s", "-w", "-m", "immediate", "stop"])
    }

    func restart() throws {
        stop()
        try start()
    }

    private static func run(_ words: [String]) throws {
        try #require(try status(of: words) == 0, "\(words.joined(separator: " ")) failed")
    }

    /// Runs a program to its end, as a user who is not root.
    ///
    /// Foundation's `Process` would wait for the server itself, which inherits what it waits for.
    private static func status(of words: [String]) throws -> Int32 {
        let user = getuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] : []
        var texts = (user + words).map { strdup($0) }
        defer { for text in texts { free(text) } }
        let program = try #require(texts.first ?? nil)
        texts.append(nil)
        var (process, status): (pid_t, Int32) = (0, 0)
        try #require(posix_spawn(&process, program, nil, nil, texts, environ) == 0)
        try #require(waitpid(process, &status, 0) == process)
        return status
    }

    /// A connection string of libpq, with other parameters.
    func connection(_ parameters: String = "") -> String {
        "host=127.0.0.1 port=\(port) user=postgres dbname=postgres \(parameters)"
    }

    /// A port that nobody has at this moment.
    private static func freePort() throws -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try #require(bind(listener, $0, length) == 0)
                try #require(getsockname(listener, $0, &length) == 0)
            }
            return pointer.pointee.sin_port.byteSwapped
        }
    }
}

extension URL {
    /// Gives a file to the user that servers run as.
    func giveToServer(mode: Int) throws {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: mode]
        if getuid() == 0 { attributes[.ownerAccountName] = "postgres" }
        try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
    }
}
#endif
