import NestedRecords
import NestedRecordsFile

/// A run of a database on a disk that fails now and then.
package struct FaultRun {
    package struct Wrong: Error {
        package let what: String
    }

    private let batches: CountedBatches

    package init(batches: CountedBatches) { self.batches = batches }

    /// Writes seven batches with a compaction, a closing and an opening between them, whatever fails then.
    ///
    /// - Returns: How many calls failed.
    package func run(on disk: SimulatedDisk) async throws -> Int {
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
            } catch is RecordDatabaseError {
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
        } catch is RecordDatabaseError {
            database = nil
            try? await open.close()
            let again = try disk.open()
            database = again
            let found = try await again.numbers(of: [batches])[0]
            guard (number...number + 1).contains(found) else { throw Wrong(what: "batch \(found) after \(number)") }
            return found
        }
    }
}
