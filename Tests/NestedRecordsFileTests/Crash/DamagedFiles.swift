import TestSupport

@testable import NestedRecords
@testable import NestedRecordsFile

/// A small file with some batches, to be damaged.
struct DamagedFiles {
    let bytes: [UInt8]
    let batches = CountedBatches(width: 2)

    /// Where each batch ends: the first entry is the end of the empty file.
    private(set) var ends: [Int] = []

    /// - Parameters:
    ///   - isClosed: Whether the writer has closed the file.
    ///   - isCompacted: Whether it has compacted it between two batches.
    init(isClosed: Bool, isCompacted: Bool = false, count: Int = 5) async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        ends.append(disk.state.bytes.count)
        for number in 1...count {
            try await disk.save(number, of: batches, in: database)
            if isCompacted, number == count - 1 { try await database.compact() }
            ends.append(disk.state.bytes.count)
        }
        if isClosed { try await database.close() }
        bytes = disk.state.bytes
    }

    /// The places of bytes in the header, in the states, and in all that follows: what lies between is never read.
    func offsets(sample: Int) -> [Int] {
        let heads = Array(0..<48) + Array(504..<568) + Array(1_016..<1_080)
        return Sweep.some(sample / 3, of: heads) + Sweep.some(sample, of: 4_096..<bytes.count)
    }

    /// What an opening gives: the number of the last batch, or the error.
    enum Outcome: Equatable {
        case batch(Int)
        case error(String)
    }

    /// Opens a file with these bytes and reads everything.
    func outcome(of bytes: [UInt8], writesOn: Bool = false) async throws -> Outcome {
        let disk = SimulatedDisk(.with(bytes))
        do {
            let database = try disk.open()
            let number = try await database.numbers(of: [batches])[0]
            if writesOn {
                try await batches.save(number + 1, in: database)
                guard try await disk.openForReading().numbers(of: [batches]) == [number + 1] else {
                    throw CountedBatches.Torn(description: "cannot be written on")
                }
            }
            return .batch(number)
        } catch let error as RecordDatabaseError {
            return .error("\(error)")
        }
    }
}
