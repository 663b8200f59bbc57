@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsFile
@testable import TestSupport

/// The complete contents of an open file, in bytes, which distinguish not-a-numbers.
struct FileLook: Equatable {
    private(set) var records: [Record.ID: [UInt8]] = [:]

    /// Whether a verification has found no damage in current data.
    private(set) var isSound = false

    /// The results of scan, fetch, statistics and verification.
    private var errors: [String] = []

    /// The records in the order of a scan, and its result.
    private struct Scan: Equatable {
        var records: [(id: Record.ID, bytes: [UInt8])] = []
        var error = ""

        static func == (left: Self, right: Self) -> Bool {
            left.error == right.error && left.records.elementsEqual(right.records, by: ==)
        }

        init(_ database: FileRecordDatabase, type: String? = nil) async {
            do {
                for try await record in database.records(ofType: type) {
                    demand(type == nil || record.id.type == type, "a scan gives another type")
                    records.append((record.id, FileLook.bytes(of: record)))
                }
            } catch {
                self.error = FileLook.text(of: error)
            }
        }
    }

    static func bytes(of record: Record) -> [UInt8] {
        var writer = RecordWriter()
        var bytes = GrowingBytes(capacity: 64)
        do { try writer.append(record, metadata: record.metadata, to: &bytes) } catch {
            fail("cannot be written: \(error)")
        }
        return bytes.withBytes { Array($0) }
    }

    /// The text of an error that is allowed.
    static func text(of error: any Error) -> String {
        let known = error as? RecordDatabaseError
        demand(known != nil, "an error of another kind: \(type(of: error)), \(error)")
        // If a writer cuts off a part of a damaged record, the fault may change.
        if let known, known.code == .corrupt, let offset = known.offset { return "damage at byte \(offset)" }
        return "\(error)"
    }

    private mutating func attempt<Result>(_ body: () async throws -> Result) async -> Result? {
        do { return try await body() } catch {
            errors.append(Self.text(of: error))
            return nil
        }
    }

    /// Reads a file in every way.
    init(_ database: FileRecordDatabase) async {
        let scan = await Scan(database)
        let second = await Scan(database)
        demand(scan == second, "a second scan gives something else")
        errors.append(scan.error)
        for (id, bytes) in scan.records { records[id] = bytes }
        let ids = records.keys.sorted()
        let fetched = await attempt {
            Dictionary(try await database.records(for: ids).map { ($0.id, Self.bytes(of: $0)) }) { first, _ in first }
        }
        let statistics = await attempt { try await database.statistics() }
        let problems = await attempt { try await database.verify() }
        isSound = problems.map { $0.allSatisfy(\.isDead) } ?? false
        guard isSound else { return }
        demand(scan.error.isEmpty, "verified, but: \(scan.error)")
        demand(records.count == scan.records.count, "verified, but a record occurs twice")
        demand(fetched == records, "verified, but a fetch gives something else than a scan")
        demand(statistics?.recordCount == records.count, "verified, but the statistics count something else")
        var ofTypes = 0
        for type in statistics?.types ?? [] {
            let scan = await Scan(database, type: type.type)
            demand(scan.error.isEmpty && scan.records.count == type.recordCount, "wrong records of a type")
            demand(scan.records.allSatisfy { records[$0.id] == $0.bytes }, "other records of a type")
            ofTypes += scan.records.count
        }
        demand(ofTypes == records.count, "verified, but not all records are of a type")
        await follow(database)
    }

    /// Reads the available history.
    private func follow(_ database: FileRecordDatabase) async {
        do {
            var follower = ChangeFollower(token: try await database.oldestChangeToken())
            // A fuzzed file may have numbers in any order, and so an endless sequence of pages.
            for _ in 0..<100 where try await follower.readPage(of: database, limit: 3) {
                demand(
                    follower.records.allSatisfy { records[$0.key] == Self.bytes(of: $0.value) },
                    "the history has another record")
                return
            }
        } catch is ChangeFollower.Wrong {} catch let error as RecordDatabaseError where error.expiry != nil {} catch {
            _ = Self.text(of: error)
        }
    }
}
