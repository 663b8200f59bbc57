import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What is left of contents by a crash at each call of the system.
@Suite struct AssetCrashTests {
    private static let contents: [Character: Data] = [
        "A": Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) }), "B": Data("B".utf8),
        // Three chunks, each of which is a call of its own.
        "C": Data((0..<2 * AssetContent.chunkSize + 5_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) }),
    ]

    /// The content that each record names after each step.
    var states: [[String: Character]] = [
        [:], ["1": "A"], ["1": "A", "2": "B"], ["1": "A", "2": "B", "3": "A"], ["1": "A", "3": "A"],
        ["1": "A", "3": "A"],
        ["3": "A"], ["1": "B", "3": "A"], ["1": "B"], ["1": "B"], ["1": "B", "3": "A"],
    ]

    private func bytes(_ letter: Character) -> Data { Self.contents[letter] ?? Data() }

    /// Changes one record, or collects where a step changes nothing; each step can be repeated.
    private func take(_ step: Int, in database: FileRecordDatabase, on disk: SimulatedDisk) async throws {
        disk.change { $0.progress[0, default: BatchProgress()].attempted = step }
        let (before, after) = (states[step - 1], states[step])
        let assets = RecordStore(database).assets
        if before == after { try await assets.collect(olderThan: .zero - .seconds(60)) }
        for name in Set(before.keys).union(after.keys) where before[name] != after[name] {
            let id = try Record.ID(type: "Page", name: name)
            if let letter = after[name] {
                let record = try Record(id: id, fields: ["photo": .asset(await assets.add(bytes(letter)))])
                try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
            } else {
                try await database.commit(RecordBatch(deletingAnyVersionOf: [id]))
            }
        }
        disk.change { $0.progress[0]?.acknowledged = step }
    }

    private struct Wrong: Error {
        let what: String
    }

    private func named(in database: FileRecordDatabase) async throws -> [String: RecordAsset] {
        var named: [String: RecordAsset] = [:]
        for try await record in database.storedRecords(ofType: "Page") {
            guard case .asset(let asset)? = record["photo"] else { throw Wrong(what: "\(record)") }
            named[record.id.name] = asset
        }
        return named
    }

    /// Expects the records of a step, with their contents, and nothing else after a collection.
    private func examine(_ disk: SimulatedDisk, isRelaxed: Bool = false) async throws {
        let database = try disk.open { $0.durability = isRelaxed ? .relaxed : .full }
        let assets = RecordStore(database).assets
        let named = try await named(in: database)
        let progress = disk.state.progress[0] ?? BatchProgress()
        let letters = try await letters(of: named, in: assets)
        try await finishUploads(of: database)
        let possible = states[(isRelaxed ? 0 : progress.acknowledged)...progress.attempted]
        guard possible.contains(letters) else { throw Wrong(what: "\(letters) after \(progress)") }
        for content in try await assets.contents(limit: 10) {
            guard try await assets.isIntact(content) else { throw Wrong(what: "a content without its bytes") }
        }
        try await assets.collect(olderThan: .zero - .seconds(60))
        guard try await self.letters(of: named, in: assets) == letters else { throw Wrong(what: "collected") }
        let contents = try await assets.contents(limit: 10)
        guard Set(contents.map(\.hash)) == Set(named.values.map(\.hash)) else { throw Wrong(what: "\(contents)") }
        for type in [UploadRecord.recordType, AssetReaders.recordType] {
            for try await record in database.storedRecords(ofType: type) { throw Wrong(what: "\(record.id) is left") }
        }
        let state = disk.state
        let files = state.names.filter {
            $0.key.contains(".assets/") && state.files[$0.value]?.status.isRegular == true
        }
        guard
            Set(files.keys.compactMap { $0.split(separator: "/").last.map(String.init) }) == Set(contents.map(\.upload))
        else { throw Wrong(what: "files \(files.keys) for \(contents.map(\.upload))") }
        guard try await database.verify() == [] else { throw Wrong(what: "there are problems") }
        let again = try await assets.add(bytes("A"))
        guard try await assets.data(of: again) == bytes("A") else { throw Wrong(what: "it does not go on") }
    }

    /// Goes on with the uploads that the crash has cut, from a file.
    private func finishUploads(of database: FileRecordDatabase) async throws {
        var uploads: [String] = []
        for try await record in database.storedRecords(ofType: UploadRecord.recordType) {
            if UploadRecord(record)?.isRemoved == false { uploads.append(record.id.name) }
        }
        if uploads.isEmpty { return }
        let folder = try TemporaryFolder()
        let path = folder.path("largest")
        let largest = states.joined().map { bytes($0.value) }.max { $0.count < $1.count }
        try #require(largest).write(to: URL(fileURLWithPath: path))
        let assets = RecordStore(database).assets
        for upload in uploads {
            do {
                let asset = try await assets.add(file: path, continuing: upload)
                guard try await assets.exists(asset) else { throw Wrong(what: "an upload went on to nothing") }
            } catch let error as RecordDatabaseError where error.code == .unknownUpload {
                // The loss of power has taken its file.
            }
        }
    }

    /// Reads the contents, whose hashes are checked.
    private func letters(of named: [String: RecordAsset], in assets: AssetStore) async throws -> [String: Character] {
        var letters: [String: Character] = [:]
        for (name, asset) in named {
            let data = try await assets.data(of: asset)
            letters[name] = Self.contents.first { $0.value == data }?.key
        }
        return letters
    }

    @Test(arguments: [false, true])
    func crashesLeaveWholeContentsAndNothingForever(_ isRelaxed: Bool) async throws {
        try await crash(isRelaxed, moments: .max, cuts: Sweep.count(2, whole: 40))
    }

    @Test func crashesBetweenChunksLeaveWholeContentsAndNothingForever() async throws {
        var test = self
        test.states = [[:], ["1": "C"], ["1": "C", "2": "C"], ["2": "C"], [:], [:]]
        // Its bytes are hashed several times for each moment, which takes long in a debug build.
        try await test.crash(false, moments: 20, cuts: Sweep.count(1, whole: 10))
    }

    private func crash(_ isRelaxed: Bool, moments sample: Int, cuts: Int) async throws {
        let disk = SimulatedDisk()
        let database = try disk.open { $0.durability = isRelaxed ? .relaxed : .full }
        disk.record()
        for step in 1..<states.count { try await take(step, in: database, on: disk) }
        var random = SplitMix64(seed: 73)
        var (count, failures) = (0, [String: String]())
        let moments = disk.moments
        for (number, moment) in Sweep.some(sample, of: Array(moments.enumerated())) {
            for cut in 0...cuts {
                count += 1
                let state = cut == 0 ? moment.state.afterKill() : moment.state.afterPowerCut(&random)
                do {
                    try await examine(SimulatedDisk(state), isRelaxed: isRelaxed && cut > 0)
                } catch {
                    let kind = String("\(error)".prefix { !$0.isNumber })
                    failures[kind] =
                        failures[kind] ?? "before call \(number), \(moment.operation), cut \(cut): \(error)"
                }
            }
        }
        #expect(failures.isEmpty, "\(failures.values.sorted().joined(separator: "\n"))")
        print(
            "crashes while contents are added and collected, relaxed \(isRelaxed): \(count), \(moments.count) moments")
    }

    /// A call fails, the step is repeated, and the power fails at the end.
    @Test func failedCallsLeaveWholeContentsAndNothingForever() async throws {
        let all = try await run(nil)
        var failures: [String] = []
        for number in Sweep.some(60, of: 0..<all.calls) {
            do {
                let disk = try await run(number)
                var random = SplitMix64(seed: UInt64(number))
                try await examine(SimulatedDisk(disk.state.afterPowerCut(&random)))
                try await examine(SimulatedDisk(disk.state.afterKill()))
            } catch {
                failures.append("call \(number): \(error)")
            }
        }
        #expect(failures.isEmpty, "\(failures.prefix(5).joined(separator: "\n"))")
        print("failed calls while contents are added and collected: \(all.calls)")
    }

    /// - Parameter number: The call that fails; nil for none.
    private func run(_ number: Int?) async throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let database = try disk.open()
        disk.plan { _, call in call == number ? .error(EIO) : nil }
        for step in 1..<states.count {
            do {
                try await take(step, in: database, on: disk)
            } catch is RecordDatabaseError {
                // After a failed sync the database takes no more.
                guard (try? await take(step, in: database, on: disk)) != nil else { break }
            }
        }
        return disk
    }
}
