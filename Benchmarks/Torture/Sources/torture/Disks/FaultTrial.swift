import Foundation

@testable import NestedRecords
@testable import NestedRecordsFile
@testable import TestSupport

/// Makes a system call fail, and sometimes all later writes, while a database is written, compacted, closed and opened:
/// afterwards acknowledged batches are stored, and others are stored as a whole or not at all.
enum FaultTrial {
    private static let errors = [EIO, ENOSPC, EDQUOT, EROFS, EPERM, EACCES, EMFILE, ENOMEM, EFBIG]

    /// - Parameter skipsWrites: Whether the disk reports writes that it has not made.
    static func run(_ random: inout SplitMix64, _ counts: inout Counts, skipsWrites: Bool = false) async throws {
        var batches = CountedBatches(width: random.pick([1, 3, 5]), padding: random.pick([0, 0, 40, 300, 3_000]))
        // Sometimes a block is written in several pieces.
        if random.chance(oneIn: 12) { batches = CountedBatches(width: 3, padding: 400_000) }
        let disk = SimulatedDisk()
        let failing = Int.random(in: 0..<220, using: &random)
        let (code, staysFull, isHalf) = (
            random.pick(errors), random.chance(oneIn: 3), random.chance(oneIn: 6)
        )
        let hasFailed = Lock(false)
        let refusesRenames = random.chance(oneIn: 2)
        disk.plan { operation, number in
            if refusesRenames, operation == .rename { return .error(EBUSY) }
            if skipsWrites { return operation == .write && number > failing % 20 ? .skipped : nil }
            if number == failing, operation != .remove, !isHalf || operation == .write {
                hasFailed.withLock { $0 = true }
                return isHalf ? .half : .error(code)
            }
            let isFull = (staysFull || isHalf) && hasFailed.withLock { $0 }
            return isFull && [.write, .truncate].contains(operation) ? .error(ENOSPC) : nil
        }
        do {
            _ = try await FaultRun(batches: batches).run(on: disk)
        } catch {
            throw Loss(description: "call \(failing) fails with \(SystemErrorCode.text(Int(code))): \(error)")
        }
        let name = "failed calls\(refusesRenames ? " where the file cannot be replaced" : "")"
        counts[name, default: 0] += hasFailed.withLock { $0 } ? 1 : 0
    }
}
