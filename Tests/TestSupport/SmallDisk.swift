package import Foundation

/// A file system of a few megabytes in memory, which is unmounted when nobody holds it any more.
package final class SmallDisk: Sendable {
    /// What is said where ``canBeMounted`` is false.
    package static let reason = "a small file system cannot be mounted here: it takes Linux, and the rights of root"

    /// Whether there can be one: found out by mounting one.
    package static let canBeMounted = (try? SmallDisk(megabytes: 1)) != nil

    /// Where it is mounted.
    package let url: URL
    private let folder: TemporaryFolder

    private struct Refused: Error {}

    package init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        url = folder.url.appendingPathComponent("disk")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0777", "tmpfs", url.path)
    }

    deinit { try? Self.run("umount", "--lazy", url.path) }

    private static func run(_ name: String, _ arguments: String...) throws {
        #if os(Linux)
        let paths = ["/bin/", "/usr/bin/"].map { $0 + name }
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else { throw Refused() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw Refused() }
        #else
        throw Refused()
        #endif
    }

    /// The path of a file on it.
    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Takes all the room that is left.
    package func fill() throws {
        let path = path("filler")
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seekToEnd()
        // One page after the other at last: what does not fit is written in part.
        for count in [1 << 20, 1 << 12] {
            let bytes = Data(count: count)
            while (try? file.write(contentsOf: bytes)) != nil {}
        }
    }

    /// Gives back what ``fill()`` has taken.
    package func makeRoom() throws {
        let path = path("filler")
        // A process that another test starts may hold the file open for a moment.
        try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 0)
        try FileManager.default.removeItem(atPath: path)
    }
}
