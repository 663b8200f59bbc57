import Foundation
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct FaultTests {
    typealias Fault = SimulatedDisk.Fault
    typealias Operation = SimulatedDisk.Operation

    private let batches = CountedBatches(width: 3)

    private struct Wrong: Error {
        let what: String
    }

    /// Writes seven batches with a compaction, a closing and an opening between them, whatever fails meanwhile.
    ///
    /// - Returns: How many calls failed.
    private func run(on disk: SimulatedDisk) async throws -> Int {
        var database: FileRecordDatabase?
        var (number, failures) = (0, 0)
        for step in 1...7 {
            do {
                let open = try database ?? disk.open()
                database = open
                if step == 4 { try await open.compact() }
                if step == 6 {
                    database = nil
                    // Closed or not, it lets go of the file.
                    try await open.close()
                    continue
                }
                try await disk.save(number + 1, of: batches, in: open)
                number += 1
                guard try await open.numbers(of: [batches]) == [number] else {
                    throw Wrong(what: "in memory there is something else than batch \(number) after step \(step)")
                }
            } catch is FileRecordDatabaseError {
                failures += 1
                disk.plan(nil)
                if let open = database { number = try await recover(open, on: disk, number, &database) }
            }
        }
        disk.plan(nil)
        try? await database?.close()
        let last = try disk.open()
        guard try await last.numbers(of: [batches]) == [number] else { throw Wrong(what: "batch \(number) is lost") }
        guard try await last.verify() == [] else { throw Wrong(what: "there are problems") }
        return failures
    }

    /// Looks at what is there after a failure, and goes on; opens the file again if the database takes no more.
    private func recover(
        _ open: FileRecordDatabase, on disk: SimulatedDisk, _ number: Int, _ database: inout FileRecordDatabase?
    ) async throws -> Int {
        guard try await open.numbers(of: [batches]) == [number] else {
            throw Wrong(what: "what threw is in memory, or batch \(number) is not")
        }
        do {
            try await disk.save(number + 1, of: batches, in: open)
            return number + 1
        } catch is FileRecordDatabaseError {
            database = nil
            try? await open.close()
            let again = try disk.open()
            database = again
            let found = try await again.numbers(of: [batches])[0]
            guard (number...number + 1).contains(found) else { throw Wrong(what: "batch \(found) after \(number)") }
            return found
        }
    }

    private static let faults: [(Fault, [Operation])] = [
        (.error(EIO), Operation.allCases.filter { $0 != .remove }),
        (.error(ENOSPC), [.open, .write, .link, .rename, .syncFolder]), (.half, [.write]),
    ]

    @Test(arguments: [false, true])
    func failureLeavesWhatWasAcknowledged(_ staysFull: Bool) async throws {
        let dry = SimulatedDisk()
        dry.plan { _, _ in nil }
        #expect(try await run(on: dry) == 0)
        var (cases, failures) = (0, 0)
        for (fault, operations) in Self.faults {
            // Half a write alone is no failure.
            if fault == .half, !staysFull { continue }
            for failing in 0..<160 {
                let disk = SimulatedDisk()
                let reached = Lock(false)
                disk.plan { operation, number in
                    if number == failing, operations.contains(operation) {
                        reached.withLock { $0 = true }
                        return fault
                    }
                    let isFull = staysFull && number > failing && reached.withLock { $0 }
                    return isFull && [.write, .truncate].contains(operation) ? .error(ENOSPC) : nil
                }
                do {
                    failures += try await run(on: disk)
                } catch {
                    Issue.record("\(fault) at call \(failing): \(error)")
                    return
                }
                if reached.withLock({ $0 }) { cases += 1 }
            }
        }
        #expect(failures >= cases / 2)
        print("injected failures, disk stays full: \(staysFull): \(cases) cases")
    }

    @Test func writesInSmallPiecesAndInterruptionsAreNoFailures() async throws {
        let disk = SimulatedDisk()
        // The first try of every call is interrupted, where the system may do so.
        disk.plan { operation, number in
            if number % 2 == 0, ![.link, .isSame, .rename, .remove].contains(operation) { return .error(EINTR) }
            return operation == .write ? .atMost(7) : nil
        }
        #expect(try await run(on: disk) == 0)
        print("interrupted calls: \(disk.calls) cases")
    }

    @Test(arguments: [Fault.error(ENOSPC), .error(EIO), .half])
    func failedWriteLeavesTheFileAsItWas(_ fault: Fault) async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        let batches = CountedBatches(width: 4, padding: 400_000)
        try await disk.save(1, of: batches, in: database)
        let before = disk.state.bytes
        let writes = Lock(0)
        for failing in 0..<3 {
            writes.withLock { $0 = 0 }
            disk.plan { operation, _ in
                guard operation == .write else { return nil }
                let number = writes.withLock { count in
                    count += 1
                    return count - 1
                }
                return number == failing ? fault : number > failing ? .error(ENOSPC) : nil
            }
            let isFull = fault != .error(EIO)
            await #expect {
                try await batches.save(2, in: database)
            } throws: { error in
                guard let error = error as? FileRecordDatabaseError else { return false }
                return error.path == SimulatedDisk.path && error.operation == "write"
                    && error.code == (isFull ? .diskFull : .inputOutput)
                    && error.systemErrorNumber == (isFull ? nil : EIO)
            }
            #expect(disk.state.bytes == before)
        }
        disk.plan(nil)
        try await batches.save(2, in: database)
        #expect(try await database.numbers(of: [batches]) == [2])
    }
}
