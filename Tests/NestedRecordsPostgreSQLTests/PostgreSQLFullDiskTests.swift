#if PostgreSQL && canImport(Glibc)
import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsPostgreSQL

/// A server whose disk is full, which is a small file system.
@Suite(
    .enabled(if: OwnServer.isPossible, OwnServer.reason),
    .enabled(if: SmallDisk.canBeMounted, Comment(rawValue: SmallDisk.reason)), .timeLimit(.minutes(60)))
struct PostgreSQLFullDiskTests {
    /// Two records, of which the first one was saved before, with bytes that the server cannot make shorter.
    private func batch(_ number: Int64) throws -> RecordBatch {
        var random = SplitMix64(seed: UInt64(number))
        let text = (0..<500).map { _ in String(random.next(), radix: 36) }.joined()
        let fields: Record.Fields = ["n": .int(number), "text": .string(text)]
        return RecordBatch(
            saving: [try Flat.record("A/all", fields), try Flat.record("A/\(number)", fields)], savePolicy: .overwrite)
    }

    /// Expects so many batches, and nothing of the next one.
    private func expect(_ count: Int64, in database: PostgreSQLRecordDatabase) async throws {
        let records = try await database.allRecords
        #expect(records.count == count + 1)
        #expect(records[try Record.ID("A/all")]?["n"] == .int(count))
        for number in 1...count { #expect(records[try Record.ID("A/\(number)")]?["n"] == .int(number)) }
    }

    /// Saves batches until one is not saved.
    ///
    /// - Returns: The number of the last one that was saved, and why the next one was not.
    private func saveUntilFull(
        _ database: PostgreSQLRecordDatabase, from start: Int64
    ) async throws -> (count: Int64, failure: RecordDatabaseError) {
        var number = start
        while true {
            do {
                try await database.commit(try batch(number))
                number += 1
            } catch let failure as RecordDatabaseError {
                return (number - 1, failure)
            }
        }
    }

    @Test func aBatchWithoutRoomForTheTablesIsRefusedAsAWhole() async throws {
        let disk = try SmallDisk(megabytes: 4)
        let space = disk.url.appendingPathComponent("space")
        try FileManager.default.createDirectory(at: space, withIntermediateDirectories: false)
        try space.giveToServer(mode: 0o700)
        let server = try OwnServer()
        defer { server.stop() }
        let administrator = try PostgreSQLRecordDatabase(connection: server.connection())
        try await administrator.sql("CREATE TABLESPACE small LOCATION '\(space.path)'")
        await administrator.close()
        let database = try PostgreSQLRecordDatabase(
            connection: server.connection("options='-c default_tablespace=small'"))
        try await database.prepare()
        for number in Int64(1)...10 { try await database.commit(try batch(number)) }
        try disk.fill()
        var (count, failure) = try await saveUntilFull(database, from: 11)
        #expect(failure.code == .refused && failure.systemCode == "53100", "\(failure)")
        #expect(failure.isTransient && failure.operation == "save")
        #expect(failure.description.contains("No space left on device"), "\(failure)")
        try await expect(count, in: database)
        try disk.makeRoom()
        count += 1
        try await database.commit(try batch(count))
        try await expect(count, in: database)
        await database.close()
    }

    /// Without room for its log the server refuses batches, or ends in the midst of a commit.
    @Test func aServerWithoutRoomForItsLogLosesNoAcknowledgedBatch() async throws {
        let disk = try SmallDisk(megabytes: 8)
        let server = try OwnServer(logOn: disk)
        defer { server.stop() }
        let database = try PostgreSQLRecordDatabase(connection: server.connection())
        try await database.prepare()
        for number in Int64(1)...10 { try await database.commit(try batch(number)) }
        try disk.fill()
        var (count, failure) = try await saveUntilFull(database, from: 11)
        for _ in 0..<30 where failure.code == .refused {
            #expect(failure.systemCode == "53100", "\(failure)")
            (count, failure) = try await saveUntilFull(database, from: count + 1)
        }
        #expect(failure.isTransient || failure.code == .unknownOutcome, "\(failure)")
        try disk.makeRoom()
        try server.restart()
        if let id = failure.batchID, try await database.outcome(of: id) != nil { count += 1 }
        try await expect(count, in: database)
        count += 1
        try await database.commit(try batch(count))
        try await expect(count, in: database)
        await database.close()
    }
}
#endif
