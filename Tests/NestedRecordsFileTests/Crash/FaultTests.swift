import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct FaultTests {
    typealias Fault = SimulatedDisk.Fault
    typealias Operation = SimulatedDisk.Operation

    private let batches = CountedBatches(width: 3)

    private static let faults: [(Fault, [Operation])] = [
        (.error(EIO), Operation.allCases.filter { $0 != .remove }),
        (.error(ENOSPC), [.open, .write, .link, .rename, .syncFolder]), (.half, [.write]),
    ]

    @Test(arguments: [false, true])
    func failureLeavesWhatWasAcknowledged(_ staysFull: Bool) async throws {
        let dry = SimulatedDisk()
        dry.plan { _, _ in nil }
        #expect(try await FaultRun(batches: batches).run(on: dry) == 0)
        var (cases, failures) = (0, 0)
        for (fault, operations) in Self.faults {
            // Half a write alone is no failure.
            if fault == .half, !staysFull { continue }
            for failing in 0..<160 {
                // A whole sweep takes each call, up to the first one that is not made.
                if !Sweep.isWhole, failing % 3 != 0 { continue }
                let (disk, isMade) = (SimulatedDisk(), Lock(false))
                let reached = Lock(false)
                disk.plan { operation, number in
                    if number >= failing { isMade.withLock { $0 = true } }
                    if number == failing, operations.contains(operation) {
                        reached.withLock { $0 = true }
                        return fault
                    }
                    let isFull = staysFull && number > failing && reached.withLock { $0 }
                    return isFull && [.write, .truncate].contains(operation) ? .error(ENOSPC) : nil
                }
                do {
                    failures += try await FaultRun(batches: batches).run(on: disk)
                } catch {
                    Issue.record("\(fault) at call \(failing): \(error)")
                    return
                }
                if reached.withLock({ $0 }) { cases += 1 }
                if !isMade.withLock({ $0 }) { break }
            }
        }
        #expect(failures >= cases / 2)
        print("injected failures, disk stays full: \(staysFull): \(cases) cases")
    }

    @Test func writesInSmallPiecesAndInterruptionsAreNotFailures() async throws {
        let disk = SimulatedDisk()
        // The first try of every call is interrupted, where the system may do so.
        disk.plan { operation, number in
            if number % 2 == 0, ![.link, .isSame, .rename, .remove].contains(operation) { return .error(EINTR) }
            return operation == .write ? .atMost(7) : nil
        }
        #expect(try await FaultRun(batches: batches).run(on: disk) == 0)
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
                guard let error = error as? RecordDatabaseError else { return false }
                return error.path == SimulatedDisk.path && error.operation == "write"
                    && error.code == (isFull ? .diskFull : .inputOutput)
                    && error.systemCode == (isFull ? nil : "\(EIO)")
            }
            #expect(disk.state.bytes == before)
        }
        disk.plan(nil)
        try await batches.save(2, in: database)
        #expect(try await database.numbers(of: [batches]) == [2])
    }
}
