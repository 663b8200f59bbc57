import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct FilePathTests {
    /// The system, which notes the paths that it is given once a file is open.
    private func system(_ paths: Lock<[String]>) -> FileSystem {
        var system = FileSystem()
        system.open = { [open = system.open] path, flags, permissions in
            paths.withLock { $0.append(path) }
            return open(path, flags, permissions)
        }
        system.isSame = { [isSame = system.isSame] descriptor, path in
            paths.withLock { $0.append(path) }
            return isSame(descriptor, path)
        }
        system.rename = { [rename = system.rename] old, new in
            paths.withLock { $0 += [old, new] }
            return rename(old, new)
        }
        system.link = { [link = system.link] old, new in
            paths.withLock { $0 += [old, new] }
            return link(old, new)
        }
        system.remove = { [remove = system.remove] path in
            paths.withLock { $0.append(path) }
            return remove(path)
        }
        system.syncFolder = { [syncFolder = system.syncFolder] path in
            paths.withLock { $0.append(path) }
            return syncFolder(path)
        }
        return system
    }

    /// After a change of the working folder too it means the file that was opened.
    @Test(arguments: [true, false]) func relativePathIsMadeAbsoluteAtOpening(_ isThere: Bool) async throws {
        let folder = try TemporaryFolder()
        if isThere { try await FileRecordDatabase(path: folder.path()).close() }
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let relative = String(repeating: "../", count: depth) + folder.path().dropFirst()
        let paths = Lock<[String]>([])
        let database = try FileRecordDatabase(path: relative, options: .init(), system: system(paths))
        _ = try await database.save(RecordGraph([Flat.record("A/1")]))
        try await database.compact()
        _ = try await database.save(RecordGraph([Flat.record("A/2")]))
        try await database.close()
        #expect(database.path == relative)
        let used = paths.withLock { $0 }
        #expect(used.count > 8)
        #expect(used.filter { !$0.hasPrefix("/") || $0.contains("..") } == [])
        #expect(try folder.names == ["test.records"])
    }

    @Test func pathsLeadToWhereTheyPoint() throws {
        let folder = try TemporaryFolder()
        let system = FileSystem()
        let real = try FilePath(folder.url.path, system).resolved
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: ".")
        #expect(try FilePath(folder.path("link/none.records"), system).resolved == real + "/none.records")
        #expect(try FilePath(folder.path("link/../" + folder.url.lastPathComponent), system).resolved == real)
        #expect(try FilePath("/none.records", system).resolved == "/none.records")
        #expect(try FilePath("/none.records", system).folder == "/")
        let file = try FilePath(folder.path("none.records"), system)
        #expect(file.folder == real && file.adding(".x").given == folder.path("none.records.x"))
        #expect(file.adding(".x").resolved == real + "/none.records.x")
    }

    /// A slash and a combining mark after it are one character.
    @Test(arguments: ["\u{301}x", "\u{301}d/x", "\u{301}d/\u{200D}x"])
    func namesMayBeginWithACombiningMark(_ name: String) throws {
        let folder = try TemporaryFolder()
        let system = FileSystem()
        try #require(mkdir(folder.url.path + "/\u{301}d", 0o755) == 0)
        let real = try FilePath(folder.url.path, system).resolved
        for isThere in [false, true] {
            if isThere { _ = try FileRecordDatabase(path: folder.url.path + "/" + name) }
            let path = try FilePath(folder.url.path + "/" + name, system)
            #expect(Array(path.resolved.utf8) == Array("\(real)/\(name)".utf8))
            let inner = name.utf8.contains(UInt8(ascii: "/")) ? "/\u{301}d" : ""
            #expect(Array(path.folder.utf8) == Array("\(real)\(inner)".utf8))
        }
    }

    /// What is named beside the file is beside it, and not beside a link to it.
    @Test(arguments: ["link.records", "folder/real.records"]) func fileBesideALinkedOneIsNamed(_ name: String)
        async throws
    {
        let folder = try TemporaryFolder()
        try await FileRecordDatabase(path: folder.path("real.records")).close()
        let file = try FileHandle(forWritingTo: URL(filePath: folder.path("real.records")))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: 7, count: 100))
        try file.close()
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(name), withDestinationPath: folder.path("real.records"))
        let database = try FileRecordDatabase(path: folder.path(name))
        try await database.prepare()
        let tail = try #require(database.recoveredPath)
        #expect(try Data(contentsOf: URL(filePath: tail)) == Data(repeating: 7, count: 100))
    }
}
