import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

extension SimulatedDisk {
    /// Has every later replacement of a file be refused, and decides about the other calls.
    func refuseRenames(with code: Int32 = EBUSY, and plan: @escaping Plan = { _, _ in nil }) {
        self.plan { operation, number in operation == .rename ? .error(code) : plan(operation, number) }
    }

    /// The version in the header of the file.
    var fileVersion: UInt8 { state.bytes[8] }
}

/// What a compaction does where the system refuses to replace the file.
@Suite struct InPlaceCompactionTests {
    private let batches = CountedBatches(width: 3, padding: 500)

    /// A disk that refuses renames, with a database of some batches.
    private func database(
        _ count: Int = 6, _ change: (inout FileRecordDatabase.Options) -> Void = { _ in }
    ) async throws -> (disk: SimulatedDisk, database: FileRecordDatabase) {
        let disk = SimulatedDisk()
        let database = try disk.open(change)
        for number in 1...count { try await disk.save(number, of: batches, in: database) }
        disk.refuseRenames()
        return (disk, database)
    }

    /// Expects that everything says that there are so many batches, also after opening again, and saves one more.
    private func expect(_ number: Int, in database: FileRecordDatabase, on disk: SimulatedDisk) async throws {
        #expect(try await database.numbers(of: [batches]) == [number])
        #expect(try await database.verify() == [])
        let reader = try SimulatedDisk(disk.state.afterKill()).openForReading()
        #expect(try await reader.numbers(of: [batches]) == [number])
        #expect(try await reader.verify() == [])
        #expect(reader.recoveredByteCount == 0)
        let killed = try SimulatedDisk(disk.state.afterKill()).open()
        #expect(try await killed.numbers(of: [batches]) == [number])
        #expect(killed.recoveredByteCount == 0)
        try await batches.save(number + 1, in: killed)
        #expect(try await killed.numbers(of: [batches]) == [number + 1])
        #expect(try await killed.verify() == [])
    }

    /// A database whose compaction was interrupted when the copy behind its end had come into use: a reader held it.
    private func movedDatabase() async throws -> (disk: SimulatedDisk, database: FileRecordDatabase) {
        let (disk, database) = try await database()
        let scan = Lock<RecordScan?>(nil)
        disk.refuseRenames { [weak disk, weak database] operation, _ in
            guard operation == .write, let disk, disk.fileVersion == 5, let database else { return nil }
            scan.withLock { if $0 == nil { $0 = try? RecordScan(database.store, type: nil) } }
            return nil
        }
        await #expect {
            try await database.compact()
        } throws: { failure in
            "\(failure)".contains("could not be compacted in place") && "\(failure)".contains("still being read")
        }
        var found: [Record] = []
        while let record = try scan.withLock({ try $0?.next() }) { found.append(record) }
        #expect(found.count == 6)
        disk.refuseRenames()
        return (disk, database)
    }

    @Test(arguments: [EBUSY, EPERM, EACCES, EXDEV, EROFS])
    func fileThatCannotBeReplacedIsCompactedInPlace(_ code: Int32) async throws {
        let (disk, database) = try await database()
        let file = disk.state.names
        let size = disk.state.bytes.count
        disk.refuseRenames(with: code)
        let reclaimed = try await database.compact()
        #expect(reclaimed > 0)
        #expect(disk.state.bytes.count == size - reclaimed)
        #expect(disk.state.names == file)
        #expect(disk.fileVersion == 4)
        let statistics = try await database.statistics()
        #expect(statistics.compactionCount == 1)
        #expect(statistics.compactionFailure == nil)
        let reason = try #require(statistics.inPlaceReason)
        #expect(reason.contains("rename"))
        #expect(statistics.description.hasSuffix("\ncompacted in place: \(reason)"))
        try await expect(6, in: database, on: disk)
        for number in 7...9 { try await batches.save(number, in: database) }
        try await database.compact()
        try await database.close()
        let again = try disk.open()
        try await expect(9, in: again, on: disk)
        disk.plan(nil)
        try await again.compact()
        #expect(try await again.statistics().inPlaceReason == nil)
        try await expect(9, in: again, on: disk)
    }

    @Test func folderThatCannotBeWrittenIsNoObstacle() async throws {
        let (disk, database) = try await database()
        disk.plan { operation, _ in operation == .open ? .error(EACCES) : nil }
        #expect(try await database.compact() > 0)
        #expect(try #require(try await database.statistics().inPlaceReason).contains("open"))
        disk.plan(nil)
        try await expect(6, in: database, on: disk)
    }

    @Test func tailThatCannotBeKeptIsNotOverwritten() async throws {
        let (written, database) = try await database()
        try await database.close()
        let bytes = written.state.bytes + [UInt8](repeating: 7, count: 30)
        let disk = SimulatedDisk(.with(bytes))
        let openings = Lock(0)
        disk.plan { operation, _ in
            guard operation == .open else { return nil }
            return openings.withLock { count in
                count += 1
                return count == 1 ? nil : .error(EACCES)
            }
        }
        let again = try disk.open()
        await #expect(throws: FileRecordDatabaseError.self) { try await again.compact() }
        #expect(disk.state.bytes == bytes)
    }

    @Test(arguments: [false, true])
    func killsAndLossesOfPowerLoseNothing(_ isRelaxed: Bool) async throws {
        let disk = SimulatedDisk()
        disk.record()
        disk.refuseRenames()
        for session in 0..<2 {
            let database = try disk.open { $0.durability = isRelaxed ? .relaxed : .full }
            for number in 1...5 {
                try await disk.save(session * 5 + number, of: batches, in: database)
                if number >= 4 {
                    #expect(try await database.compact() > 0)
                    disk.noteSafety()
                }
            }
            if session == 0 {
                try await database.close()
                disk.noteSafety()
            }
        }
        let cuts = PowerCuts(batches: [batches], cutsPerMoment: 8, isRelaxed: isRelaxed)
        let count = try await cuts.check(disk.moments)
        print("power cuts of compactions in place\(isRelaxed ? ", relaxed" : ""): \(count) cases")
    }

    @Test func killsAndLossesOfPowerOfAMovedFileLoseNothing() async throws {
        let (disk, database) = try await movedDatabase()
        disk.record()
        try await disk.save(7, of: batches, in: database)
        try await database.compact()
        try await disk.save(8, of: batches, in: database)
        try await database.close()
        let cuts = PowerCuts(batches: [batches], cutsPerMoment: 8)
        let count = try await cuts.check(disk.moments)
        print("power cuts of a file that begins elsewhere: \(count) cases")
    }

    /// A program is killed while it opens what one that was killed has left.
    @Test func lossesOfPowerWhileTheRestIsCutOffLoseNothing() async throws {
        let (disk, database) = try await database()
        disk.record()
        try await database.compact()
        var (random, count) = (SplitMix64(seed: 4), 0)
        for moment in Sweep.some(8, of: disk.moments) {
            let left = SimulatedDisk(moment.state.afterPowerCut(&random))
            left.record()
            _ = try left.open()
            count += try await PowerCuts(batches: [batches], cutsPerMoment: 2).check(left.moments)
        }
        print("power cuts after power cuts of compactions in place: \(count) cases")
    }

    @Test(arguments: [SimulatedDisk.Fault.error(EIO), .error(ENOSPC), .half])
    func failureAtEachCallLosesNothing(_ fault: SimulatedDisk.Fault) async throws {
        var cases = 0
        for staysFull in [false, true] {
            for failing in 0..<260 {
                // A whole sweep takes each call, up to the first one that is not made.
                if !Sweep.isWhole, failing % 4 != 0 { continue }
                let (disk, isMade) = (SimulatedDisk(), Lock(false))
                let reached = Lock(false)
                disk.refuseRenames { operation, number in
                    if number >= failing { isMade.withLock { $0 = true } }
                    if number == failing, operation != .remove, fault != .half || operation == .write {
                        reached.withLock { $0 = true }
                        return fault
                    }
                    let isFull = staysFull && number > failing && reached.withLock { $0 }
                    return isFull && [.write, .truncate].contains(operation) ? .error(ENOSPC) : nil
                }
                do {
                    _ = try await FaultRun(batches: batches).run(on: disk)
                } catch {
                    Issue.record("\(fault) at call \(failing), stays full: \(staysFull): \(error)")
                    return
                }
                if reached.withLock({ $0 }) { cases += 1 }
                if !isMade.withLock({ $0 }) { break }
            }
        }
        print("failures with compactions in place, \(fault): \(cases) cases")
        #expect(cases > (Sweep.isWhole ? 40 : 5))
    }

    @Test func fullDiskIsReportedAndLeftAsItWas() async throws {
        let (disk, database) = try await database()
        let before = disk.state.bytes
        let (isReached, writes) = (Lock(false), Lock(0))
        disk.plan { operation, _ in
            if operation == .rename {
                isReached.withLock { $0 = true }
                return .error(EBUSY)
            }
            guard operation == .write, isReached.withLock({ $0 }) else { return nil }
            let number = writes.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? nil : number == 2 ? .half : .error(ENOSPC)
        }
        await #expect {
            try await database.compact()
        } throws: { failure in
            let text = "\(failure)"
            return text.contains("rename") && text.contains("in place") && text.contains("no room")
        }
        #expect(disk.state.bytes == before)
        #expect(try #require(try await database.statistics().compactionFailure).contains("no room"))
        disk.refuseRenames()
        try await expect(6, in: database, on: disk)
        #expect(try await database.compact() > 0)
        try await expect(6, in: database, on: disk)
    }

    @Test func whereNothingCanBeGivenBackNothingIsWritten() async throws {
        let (disk, database) = try await database(1)
        let before = disk.state.bytes
        await #expect(throws: FileRecordDatabaseError.self) { try await database.compact() }
        #expect(disk.state.bytes == before)
        #expect(try #require(try await database.statistics().compactionFailure).contains("rename"))
    }

    @Test func automaticCompactionIsNotTriedAgainAtOnce() async throws {
        let disk = SimulatedDisk()
        let large = CountedBatches(width: 3, padding: 100_000)
        let database = try disk.open { $0.compactionThreshold = 0.3 }
        let (renames, scan) = (Lock(0), Lock<RecordScan?>(nil))
        disk.plan { operation, _ in
            guard operation == .rename else { return nil }
            renames.withLock { $0 += 1 }
            return .error(EBUSY)
        }
        try await large.save(1, in: database)
        scan.withLock { $0 = try? RecordScan(database.store, type: nil) }
        for number in 2...5 { try await large.save(number, in: database) }
        await database.compactionHasEnded()
        for _ in 0..<20 { _ = try await database.save(RecordGraph([Flat.record("B/1")])) }
        await database.compactionHasEnded()
        // Each time that the file has grown by a quarter.
        #expect((1...4).contains(renames.withLock { $0 }))
        #expect(try #require(try await database.statistics().compactionFailure).contains("still being read"))
        let size = disk.state.bytes.count
        scan.withLock { $0 = nil }
        for number in 6...9 { try await large.save(number, in: database) }
        await database.compactionHasEnded()
        #expect(disk.state.bytes.count < size)
        #expect(try await database.statistics().compactionFailure == nil)
        try await database.close()
    }

    @Test func scanInTheSameProcessGoesOn() async throws {
        let (disk, database) = try await database()
        var found: Set<Record.ID> = []
        var iterator = database.records(ofType: nil).makeAsyncIterator()
        found.insert(try #require(try await iterator.next()).id)
        await #expect {
            try await database.compact()
        } throws: { failure in
            "\(failure)".contains("still being read")
        }
        try await disk.save(7, of: batches, in: database)
        while let record = try await iterator.next() { found.insert(record.id) }
        #expect(found.count == 6)
        try await expect(7, in: database, on: disk)
    }

    @Test func savesGoOnInAFileThatBeginsElsewhere() async throws {
        let (disk, database) = try await movedDatabase()
        #expect(disk.fileVersion == 5)
        try await expect(6, in: database, on: disk)
        let statistics = try await database.statistics()
        #expect(statistics.compactionCount == 1)
        #expect(statistics.deadByteCount > statistics.liveByteCount)
        for number in 7...8 { try await disk.save(number, of: batches, in: database) }
        try await expect(8, in: database, on: disk)
        try await database.close()
        do {
            let again = try disk.open()
            #expect(disk.fileVersion == 5)
            try await disk.save(9, of: batches, in: again)
            try await expect(9, in: again, on: disk)
            try await again.close()
        }
        let salvage = try await FileRecordDatabase.salvage(from: SimulatedDisk.path, system: disk.system)
        #expect(salvage.problems == [])
        #expect(salvage.recordCount == 6)
        let again = try disk.open()
        let size = disk.state.bytes.count
        #expect(try await again.compact() > size / 2)
        #expect(disk.fileVersion == 4)
        try await expect(9, in: again, on: disk)
    }

    @Test func spaceInFrontIsUsedWhereThereIsNoOther() async throws {
        let (disk, database) = try await movedDatabase()
        disk.plan { operation, _ in operation == .open ? .error(ENOSPC) : nil }
        #expect(try await database.compact() > 0)
        disk.plan(nil)
        #expect(disk.fileVersion == 4)
        try await expect(6, in: database, on: disk)
    }

    @Test func fileThatBeginsElsewhereIsReplacedWhereThatIsAllowed() async throws {
        let (disk, database) = try await movedDatabase()
        disk.plan(nil)
        #expect(try await database.compact() > 0)
        #expect(disk.fileVersion == 4)
        try await expect(6, in: database, on: disk)
    }

    /// Each header and each state of a file that begins elsewhere is there twice.
    @Test func damagedHeadersAndStatesOfAMovedFileAreMadeAnew() async throws {
        let (disk, database) = try await movedDatabase()
        try await database.close()
        let bytes = disk.state.bytes
        let start = Int(bytes.withUnsafeBytes { $0.fixed(UInt64.self, at: 32) })
        for offset in [0, FileHeader.size, start + LogState.offsets[0], start + LogState.offsets[1]] {
            var damaged = bytes
            damaged[offset + 20] ^= 4
            let disk = SimulatedDisk(.with(damaged))
            let reader = try disk.openForReading()
            #expect(try await reader.verify().map(\.offset) == [offset])
            #expect(try await reader.numbers(of: [batches]) == [6])
            let salvage = try await FileRecordDatabase.salvage(from: SimulatedDisk.path, system: disk.system)
            #expect(salvage.recordCount == 6)
            let writer = try disk.open()
            #expect(try await writer.verify() == [])
            try await expect(6, in: writer, on: disk)
        }
        var damaged = bytes
        for offset in [0, FileHeader.size] { damaged[offset + 16] ^= 4 }
        let both = SimulatedDisk(.with(damaged))
        #expect(throws: FileRecordDatabaseError.self) { try both.open() }
        let salvage = try await FileRecordDatabase.salvage(from: SimulatedDisk.path, system: both.system)
        #expect(salvage.recordCount == 6)
        #expect(!salvage.problems.isEmpty)
    }

    @Test func damagedBitsOfAClosedMovedFileAreNoticed() async throws {
        let (disk, database) = try await movedDatabase()
        try await database.close()
        let bytes = disk.state.bytes
        let start = Int(bytes.withUnsafeBytes { $0.fixed(UInt64.self, at: 32) })
        for offset in Sweep.some(100, of: stride(from: start + FileHeader.size, to: bytes.count, by: 7).map(\.self)) {
            var damaged = bytes
            damaged[offset] ^= 1 << (offset % 8)
            let disk = SimulatedDisk(.with(damaged))
            guard let reader = try? disk.openForReading() else { continue }
            let problems = try await reader.verify()
            try #require(!problems.isEmpty, "byte \(offset)")
        }
    }

    @Test func leftoverOfACompactionIsNoDamageAndNotKept() async throws {
        let (disk, database) = try await database()
        let before = disk.state.bytes.count
        disk.record()
        try await database.compact()
        var lengths: Set<Int> = []
        for moment in disk.moments {
            let left = SimulatedDisk(moment.state.afterKill())
            lengths.insert(left.state.bytes.count)
            let salvage = try await FileRecordDatabase.salvage(from: SimulatedDisk.path, system: left.system)
            #expect(salvage.problems == [])
            #expect(salvage.recordCount == 6)
            let names = Set(left.state.names.keys)
            let writer = try left.open()
            #expect(writer.recoveredPath == nil)
            #expect(names.isSuperset(of: left.state.names.keys))
            #expect(left.state.names.count == 1)
            #expect(left.fileVersion == 5 || left.state.bytes.count <= before)
        }
        #expect(lengths.count > 5)
    }

    @Test func readerThatHasTheFileOpenReadsOn() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        for number in 1...3 { try await disk.save(number, of: batches, in: database) }
        disk.refuseRenames()
        disk.record()
        try await disk.save(4, of: batches, in: database)
        try await database.compact()
        for number in 5...6 { try await disk.save(number, of: batches, in: database) }
        try await database.close()
        let moments = disk.moments
        var count = 0
        for first in moments.indices {
            for last in Set([first + 1, first + 3, first + 9, first + 17, moments.count - 1]) where last < moments.count
            {
                let reading = SimulatedDisk(moments[first].state)
                let reader = try reading.openForReading()
                reading.change { $0.files = moments[last].state.files }
                let progress = (moments[first].state.progress[0], moments[last].state.progress[0])
                let range = (progress.0?.acknowledged ?? 0)...(progress.1?.attempted ?? 0)
                switch count % 3 {
                case 0: #expect(try await reader.verify() == [], "from \(first) to \(last)")
                case 1:
                    let ids = try (0..<3).map { try Record.ID("S0/\($0)") }
                    let numbers = Set(try await reader.records(for: ids).map { $0["n"] })
                    #expect(numbers.count == 1)
                default: _ = try await reader.statistics()
                }
                let number = try await reader.numbers(of: [batches])[0]
                #expect(range.contains(number), "from \(first) to \(last): \(number), not in \(range)")
                count += 1
            }
        }
        print("open readers beside a compaction in place: \(count) cases")
    }

    @Test func scanInAnotherProcessSaysThatItCannotGoOn() async throws {
        let disk = SimulatedDisk()
        let long = CountedBatches(width: 3, padding: 600_000)
        let database = try disk.open()
        for number in 1...3 { try await long.save(number, in: database) }
        let reading = SimulatedDisk(disk.state.afterKill())
        let reader = try reading.openForReading()
        var iterator = reader.records(ofType: nil).makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        disk.refuseRenames()
        try await database.compact()
        reading.change { $0.files = disk.state.files }
        await #expect {
            while try await iterator.next() != nil {}
        } throws: { failure in
            (failure as? FileRecordDatabaseError)?.code == .changedWhileRead
        }
        #expect(try await reader.numbers(of: [long]) == [3])
    }

    @Test func readersOfARealFileReadOn() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path()
        var system = FileSystem()
        system.rename = { _, _ in -Int(EBUSY) }
        let writer = try FileRecordDatabase(path: path, options: .init(), system: system)
        try await batches.save(1, in: writer)
        let isWriting = Lock(true)
        async let written: Void = { [batches] in
            defer { isWriting.withLock { $0 = false } }
            for number in 2...120 {
                try await batches.save(number, in: writer)
                if number % 6 == 0 { try await writer.compact() }
            }
        }()
        let reader = try FileRecordDatabase(path: path, options: .readOnly)
        let ids = try (0..<3).map { try Record.ID("S0/\($0)") }
        var (last, opened) = ([0, 0], 0)
        while isWriting.withLock({ $0 }) {
            for (position, database) in [reader, try FileRecordDatabase(path: path, options: .readOnly)].enumerated() {
                let numbers = Set(try await database.records(for: ids).compactMap { try $0["n", as: Int.self] })
                let number = try #require(numbers.first)
                try #require(numbers.count == 1 && number >= last[position])
                last[position] = number
            }
            opened += 1
            await Task.yield()
        }
        try await written
        #expect(try await writer.statistics().compactionCount > 10)
        print("readings beside a writer that compacts in place: \(opened) cases")
    }
}
