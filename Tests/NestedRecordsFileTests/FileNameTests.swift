import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsFile

/// What a database does to the files beside its own, and where its own is linked, moved, replaced or deleted.
@Suite struct FileNameTests {
    private let manager = FileManager.default

    private func data(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    private func write(_ text: String, to path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    private func expectError(_ part: String, _ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            error is RecordDatabaseError && "\(error)".contains(part)
        }
    }

    @Test(arguments: ["", ".records"]) func pathWithNULIsRefused(_ rest: String) async throws {
        let folder = try TemporaryFolder()
        try write("precious", to: folder.path("victim.txt"))
        let path = folder.path("victim.txt") + "\0" + rest
        for options in [FileRecordDatabase.Options(), .readOnly] {
            await expectError("NUL") { _ = try FileRecordDatabase(path: path, options: options) }
        }
        #expect(try String(decoding: data(folder.path("victim.txt")), as: UTF8.self) == "precious")
        #expect(try folder.names == ["victim.txt"])
    }

    @Test func nameMayHave227Bytes() async throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "n", count: 227)
        for round in 1...2 {
            let database = try FileRecordDatabase(path: folder.path(name))
            for number in 1...20 {
                let fields: Record.Fields = [
                    "text": .string(String(repeating: "x", count: 1_000)), "n": .int(Int64(number)),
                ]
                _ = try await database.save(
                    RecordGraph([Flat.record("A/\(round)", fields)]), savePolicy: .overwrite)
            }
            #expect(try await database.compact() > 0)
            #expect(try await database.compact() == 0)
            #expect(try await database.statistics().compactionFailure == nil)
            try await database.close()
            #expect(try folder.names == [name])
        }
        try appendTail(1, to: folder.path(name))
        let database = try FileRecordDatabase(path: folder.path(name))
        #expect(try await database.allRecords.count == 2)
        let tail = try #require(database.recoveredPath)
        #expect(try data(tail) == Data(repeating: 1, count: 100))
    }

    @Test func longerNameCannotBeCompacted() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path(String(repeating: "n", count: 231)))
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.compact() }
        #expect(error?.code == .notReplaceable)
        let name = String(repeating: "n", count: 232)
        let refusal = #expect(throws: RecordDatabaseError.self) { try FileRecordDatabase(path: folder.path(name)) }
        #expect(refusal?.systemCode == "\(ENAMETOOLONG)")
        #expect(try folder.names == [String(repeating: "n", count: 231)])
    }

    @Test func nothingIsRemovedBesideAFileOfAnotherKind() async throws {
        let folder = try TemporaryFolder()
        for name in ["test.records", "test.records.compacting", "test.records.creating"] {
            try write("precious", to: folder.path(name))
        }
        #expect(throws: RecordDatabaseError.self) { try FileRecordDatabase(path: folder.path()) }
        #expect(try folder.names == ["test.records", "test.records.compacting", "test.records.creating"])
    }

    @Test func filesOfOthersBesideTheDatabaseStay() async throws {
        let folder = try TemporaryFolder()
        let texts = ["test.records.compacting": "a", "test.records.creating": "", "test.records.torn": "c"]
        for (name, text) in texts { try write(text, to: folder.path(name)) }
        for round in 1...2 {
            let database = try FileRecordDatabase(path: folder.path())
            _ = try await database.save(
                RecordGraph([Flat.record("A/\(round)")]), savePolicy: .overwrite)
            try await database.compact()
            try await database.close()
            try appendTail(UInt8(round), to: folder.path())
        }
        try await FileRecordDatabase(path: folder.path(), options: .init()).prepare()
        for (name, text) in texts { #expect(try data(folder.path(name)) == Data(text.utf8)) }
        // Neither does a later tail replace an earlier one.
        #expect(try data(folder.path("test.records.torn-2")) == Data(repeating: 1, count: 100))
        #expect(try data(folder.path("test.records.torn-3")) == Data(repeating: 2, count: 100))
        #expect(try folder.names.count == 6)
    }

    private func appendTail(_ byte: UInt8, to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: byte, count: 100))
        try file.close()
    }

    @Test func compactionReplacesTheFileAndNotALinkToIt() async throws {
        let folder = try TemporaryFolder()
        try manager.createDirectory(atPath: folder.path("data"), withIntermediateDirectories: false)
        try await FileRecordDatabase(path: folder.path("data/real.records")).close()
        try manager.createSymbolicLink(atPath: folder.path(), withDestinationPath: "data/real.records")
        let database = try FileRecordDatabase(path: folder.path())
        _ = try await database.save(RecordGraph([Flat.record("A/1")]), savePolicy: .overwrite)
        try await database.compact()
        _ = try await database.save(RecordGraph([Flat.record("A/2")]), savePolicy: .overwrite)
        try await database.close()
        #expect(try manager.destinationOfSymbolicLink(atPath: folder.path()) == "data/real.records")
        let real = try FileRecordDatabase(path: folder.path("data/real.records"))
        #expect(try await real.allRecords.count == 2)
        #expect(try folder.names == ["data", "test.records"])
    }

    @Test func secondNameOfTheFileIsKept() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try manager.linkItem(atPath: folder.path(), toPath: folder.path("other.records"))
        await expectError("(hard links): there are 2") { try await database.compact() }
        let text = Record.Value.string(String(repeating: "x", count: 400_000))
        for number in 1...8 {
            _ = try await database.save(
                RecordGraph([Flat.record("A/1", ["text": text, "n": .int(Int64(number))])]),
                savePolicy: .overwrite)
        }
        await database.compactionHasEnded()
        #expect(try await database.statistics().compactionCount == 0)
        try await database.close()
        #expect(manager.contentsEqual(atPath: folder.path(), andPath: folder.path("other.records")))
        #expect(try folder.names == ["other.records", "test.records"])
    }

    @Test func movedFileIsWrittenAgainOnceItIsBack() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        _ = try await database.save(RecordGraph([Flat.record("A/1")]), savePolicy: .overwrite)
        try manager.moveItem(atPath: folder.path(), toPath: folder.path("moved"))
        await expectError("was moved") {
            _ = try await database.save(RecordGraph([Flat.record("A/2")]), savePolicy: .overwrite)
        }
        await expectError("was moved") { try await database.compact() }
        #expect(try folder.names == ["moved"])
        #expect(try await database.allRecords.count == 1)
        try manager.moveItem(atPath: folder.path("moved"), toPath: folder.path())
        _ = try await database.save(RecordGraph([Flat.record("A/2")]), savePolicy: .overwrite)
        try await database.close()
        let again = try FileRecordDatabase(path: folder.path())
        #expect(try await again.allRecords.count == 2)
    }

    @Test func savesToADeletedFileAreErrors() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try manager.removeItem(atPath: folder.path())
        await expectError("was moved") {
            _ = try await database.save(RecordGraph([Flat.record("A/1")]), savePolicy: .overwrite)
        }
        try await database.close()
        #expect(try folder.names == [])
    }

    @Test(arguments: [true, false]) func fileThatHasTakenTheNameIsNotReplaced(_ isDatabase: Bool) async throws {
        let folder = try TemporaryFolder()
        let first = try FileRecordDatabase(path: folder.path())
        _ = try await first.save(RecordGraph([Flat.record("A/1")]), savePolicy: .overwrite)
        try manager.moveItem(atPath: folder.path(), toPath: folder.path("old"))
        let second = isDatabase ? try FileRecordDatabase(path: folder.path()) : nil
        if !isDatabase { try write("precious", to: folder.path()) }
        _ = try await second?.save(RecordGraph([Flat.record("B/1")]), savePolicy: .overwrite)
        let before = try data(folder.path())
        await expectError("replaced") { try await first.compact() }
        await expectError("replaced") {
            _ = try await first.save(RecordGraph([Flat.record("A/2")]), savePolicy: .overwrite)
        }
        #expect(try data(folder.path()) == before)
        _ = try await second?.save(RecordGraph([Flat.record("B/2")]), savePolicy: .overwrite)
        if let second { #expect(try await second.allRecords.count == 2) }
        #expect(try folder.names == ["old", "test.records"])
    }

    /// A link to the file that takes its name, as when a file is moved to another disk by hand.
    @Test func linkThatHasTakenTheNameIsNotReplaced() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try manager.moveItem(atPath: folder.path(), toPath: folder.path("moved"))
        try manager.createSymbolicLink(atPath: folder.path(), withDestinationPath: "moved")
        await expectError("replaced") { try await database.compact() }
        #expect(try manager.destinationOfSymbolicLink(atPath: folder.path()) == "moved")
    }

    #if os(Linux)
    @Test func pathThatIsNeverTheNameOfItsFileIsAnError() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: folder.path("gone")))
        let handle = try FileHandle(forUpdating: URL(filePath: folder.path("gone")))
        defer { try? handle.close() }
        try FileManager.default.removeItem(atPath: folder.path("gone"))
        #expect(throws: RecordDatabaseError.self) {
            try FileRecordDatabase(path: "/proc/self/fd/\(handle.fileDescriptor)")
        }
    }
    #endif

    #if os(Linux) || os(macOS)
    /// A process has the descriptors of the one that starts it for a moment, and with them the lock of the file.
    @Test func fileIsFreeOnceTheDatabaseIsReleasedWhileProcessesAreStarted() async throws {
        let folder = try TemporaryFolder()
        let starting = Task {
            while !Task.isCancelled {
                try Process.run(URL(filePath: "/usr/bin/env"), arguments: ["true"]).waitUntilExit()
            }
        }
        defer { starting.cancel() }
        for _ in 0..<500 {
            let database = try FileRecordDatabase(path: folder.path())
            _ = try await database.records(for: [Record.ID("A/1")])
        }
    }
    #endif

    @Test func fileIsFreeOnceALargeFetchHasReturnedAndTheDatabaseIsReleased() async throws {
        let folder = try TemporaryFolder()
        let ids = try (0..<40).map { try Record.ID("A/\($0)") }
        for round in 0..<200 {
            let database = try FileRecordDatabase(path: folder.path())
            if round == 0 {
                try await database.commit(RecordBatch(saving: ids.map { try Record(id: $0) }, savePolicy: .overwrite))
            }
            #expect(try await database.records(for: ids).count == 40)
        }
    }
}
