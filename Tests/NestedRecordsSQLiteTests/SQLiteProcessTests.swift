#if SQLite
import Foundation
import NestedRecords
import NestedRecordsSQLite
import TestSupport
import Testing

/// Eight processes on one file, some of which are killed.
@Suite(.enabled(if: ChildProcess.isThere, "the program DatabaseProcess is not beside the tests"))
struct SQLiteProcessTests {
    /// A writer with a name of its own.
    private struct Writer {
        let name: String
        let process: ChildProcess
        var wasKilled = false

        init(number: Int, path: String) throws {
            name = "w\(number)"
            process = try ChildProcess("writer", name, path)
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func processesThatAreKilledLoseNothingThatWasAcknowledged() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("test.sqlite")
        var random = SplitMix64(seed: 1)
        var writers = try (0..<5).map { try Writer(number: $0, path: path) }
        var readers = try (0..<3).map { _ in try ChildProcess("reader", path) }
        for _ in 0..<8 {
            let running = writers.indices.filter { !writers[$0].wasKilled }
            // All of them go on beside those that were killed before.
            for number in running { try await waitForProgress(of: writers[number], by: 5) }
            let number = running[Int.random(in: running.indices, using: &random)]
            writers[number].process.kill()
            writers[number].wasKilled = true
            writers.append(try Writer(number: writers.count, path: path))
        }
        readers.removeFirst().kill()
        readers.append(try ChildProcess("reader", path))
        for number in writers.indices where !writers[number].wasKilled {
            try await waitForProgress(of: writers[number], by: 5)
            #expect(writers[number].process.stop(), "\(writers[number].process.lines.suffix(1))")
        }
        let counts = try await expectWhole(path, writers)
        for reader in readers {
            #expect(reader.stop() && reader.lines == ["seen \(counts.batches) \(counts.increments)"])
        }
        print("processes on one file: \(counts.batches) batches, \(counts.increments) increments")
    }

    private func waitForProgress(of writer: Writer, by count: Int) async throws {
        let start = writer.process.lines.count
        try await waitUntil("\(writer.name) does not go on: \(writer.process.lines.suffix(1))") {
            writer.process.lines.count >= start + 2 * count
        }
    }

    /// Expects all that was acknowledged, whole, and nothing that was not begun.
    private func expectWhole(_ path: String, _ writers: [Writer]) async throws -> (
        batches: Int64, increments: Int64
    ) {
        let database = try SQLiteRecordDatabase(path: path)
        #expect(try await database.verify().isEmpty)
        let records = try await database.allRecords
        var counts: (batches: Int64, increments: Int64) = (0, 0)
        var others = records
        for writer in writers {
            // The suffixes of the names of what a batch saves, and how many batches there are.
            func count(_ type: String, _ suffixes: [String], begun: String, acknowledged: String) throws -> Int64 {
                var number: Int64 = 0
                while true {
                    let ids = try suffixes.map {
                        try Record.ID(type: type, name: "\(writer.name)-\(number + 1)\($0)")
                    }
                    let found = ids.filter { others.removeValue(forKey: $0) != nil }
                    if found.isEmpty { break }
                    #expect(found == ids, "half a batch")
                    number += 1
                }
                let acknowledged = writer.process.lastNumber(acknowledged)
                let begun = writer.process.lastNumber(begun)
                #expect((acknowledged...begun).contains(number), "\(type) of \(writer.name)")
                #expect(writer.wasKilled || acknowledged == begun)
                return number
            }
            let batchCount = try count("Entry", ["a", "b"], begun: "save", acknowledged: "saved")
            let slot = others.removeValue(forKey: try Record.ID(type: "Slot", name: writer.name))
            #expect(slot?["number"] == (batchCount % 2 == 0 ? nil : .int(batchCount)))
            counts.batches += batchCount
            counts.increments += try count("Increment", [""], begun: "count", acknowledged: "counted")
        }
        let counter = others.removeValue(forKey: try Record.ID("Counter/all"))
        #expect(counter?["value"] == .int(counts.increments))
        #expect(others.isEmpty)
        try await database.close()
        return counts
    }
}
#endif
