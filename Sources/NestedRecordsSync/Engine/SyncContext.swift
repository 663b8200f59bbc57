@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The clock and the random numbers of a synchronization, and a size that tests make smaller.
struct SyncEnvironment: Sendable {
    var now: @Sendable () -> Date = { Date() }
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    var random: @Sendable () -> UInt64 = { .random(in: .min ... .max) }

    /// The number of bytes up to which a content is copied again from its start: a record of the ledger costs more.
    var wholeSize: Int64 = 1 << 20

    /// A random name.
    func makeName() -> String { String(random(), radix: 36) + String(random(), radix: 36) }

    /// A random pause before another attempt, which grows with the attempts: up to a second, up to five minutes.
    func pause(afterFailures count: Int, atLeast least: Duration? = nil) -> Duration {
        let longest = min(Double(1 << min(max(count, 1) - 1, 16)), 300)
        let share = Double(random() >> 11) / Double(1 << 53)
        return max(.milliseconds(Int64(longest * 1_000 * (0.5 + share / 2))), least ?? .zero)
    }
}

/// What does not change during a synchronization.
struct SyncContext: Sendable {
    let names: LedgerNames
    let local: any RecordDatabase
    let localFeed: any RecordFeed
    let remote: any RecordDatabase
    let remoteFeed: (any RecordFeed)?

    /// The remote database for reading.
    var remoteReads: any RecordDatabase { remoteFeed?.database ?? remote }

    /// The fields with unique values; nil without any.
    let unique: UniqueFields?

    /// Whether the remote database can keep claims of unique values.
    var claimsRemotely: Bool { remote.capabilities.isSuperset(of: Self.neededForClaims) }

    /// Whether the remote database checks the references to deleted records.
    var checksReferences: Bool {
        options.rules.references != .dangling && remote.capabilities.contains(.referrerConditions)
    }

    private static let neededForClaims: RecordCapabilities = [.conditions, .missingConditions]
    let options: SyncOptions
    let environment: SyncEnvironment

    init(
        _ local: any RecordDatabase, _ remote: any RecordDatabase, named name: String, _ options: SyncOptions,
        _ environment: SyncEnvironment
    ) throws {
        names = try LedgerNames(link: name)
        let needed: RecordCapabilities = [
            .atomicBatches, .versionedDeletions, .readYourQueries, .orderedVersions,
        ]
        let fields = options.uniqueFields.filter { !$0.value.isEmpty }.mapValues { $0.sorted() }
        unique = fields.isEmpty ? nil : UniqueFields(fieldsByType: fields)
        claimCount = fields.values.reduce(0) { max($0, $1.count) }
        try local.requireForSync(fields.isEmpty ? needed : needed.union(Self.neededForClaims), of: "local")
        if options.types?.isEmpty == true {
            throw RecordDatabaseError(.invalidOptions, reason: "a synchronization of no types; nil is all types")
        }
        let pulls = options.direction == .pull
        if pulls, options.firstSync == .pushLocal || options.restored == .pushLocal {
            throw RecordDatabaseError(
                .invalidOptions,
                reason: "a synchronization that only pulls cannot make the remote database as the local one")
        }
        try remote.requireForSync(pulls ? [.readYourQueries, .orderedVersions] : needed, of: "remote")
        let remoteFeed = remote.feed
        guard let localFeed = local.feed, pulls || remoteFeed != nil else {
            throw RecordDatabaseError(
                .noFeed,
                reason: "the \(local.feed == nil ? "local" : "remote") database cannot be synchronized without one")
        }
        let (localLeast, remoteLeast) = (2 * claimCount + 1 + Self.localCountForEach, 2 * claimCount + 2)
        for (database, least, side) in [(local, localLeast, "local"), (remote, remoteLeast, "remote")]
        where database.limits.batchCount < least && !(pulls && side == "remote") {
            throw RecordDatabaseError(
                .invalidOptions,
                reason: "a batch of the \(side) database of a synchronization needs \(least) records, and it takes"
                    + " \(database.limits.batchCount)")
        }
        (self.local, self.localFeed, self.remote, self.remoteFeed) = (local, localFeed, remote, remoteFeed)
        (self.options, self.environment) = (options, environment)
    }

    /// Of one record the base, the contents, a conflict and an entry of the rejected changes.
    private static let localCountForEach = 4

    /// The greatest number of unique values of a record.
    ///
    /// A claim may need a condition about its former owner.
    private let claimCount: Int

    /// The number of records whose changes surely fit into one local batch.
    var localCount: Int { max(1, (local.limits.batchCount - 1) / (2 * claimCount + Self.localCountForEach)) }

    /// The number of records of a push, whose batches in both databases also have a record about it.
    var pushCount: Int { max(1, min(localCount, (remote.limits.batchCount - 1) / (2 * claimCount + 1), pageSize)) }

    /// The number of records that are read, compared and kept in memory at a time.
    var pageSize: Int {
        max(1, min(options.pageSize, local.limits.pageCount, remote.limits.pageCount))
    }

    /// The number of versions that a call lists after others have listed some: one page or more.
    ///
    /// A record file and the database in memory read all records of a type for each call. So the calls grow with what was
    /// listed: with pages of 1,000, the versions of a million records take 162 calls in place of 1,000.
    func versionLimit(afterListing count: Int) -> Int {
        let most = [local, remote].map { min($0.limits.batchCount, $0.limits.pageCount) }.reduce(count / 32, min)
        return max(1, most / pageSize) * pageSize
    }

    /// The synchronized types, sorted; none for all.
    var types: [String] { options.types?.sorted() ?? [] }

    func isSynchronized(_ id: Record.ID) -> Bool { options.types?.contains(id.type) ?? true }
}

extension RecordDatabase {
    fileprivate func requireForSync(_ needed: RecordCapabilities, of side: String) throws {
        try require(needed, for: "a synchronization with this \(side) database")
    }

    /// Fetches records in as many calls as the limits need.
    func found(_ ids: [Record.ID]) async throws -> [Record.ID: Record] {
        var found: [Record.ID: Record] = [:]
        for part in ids.parts(of: limits.batchCount) {
            do {
                found.merge(try await recordsByID(for: Array(part))) { first, _ in first }
            } catch RecordError.Code.outsideScope {
                for ids in Dictionary(grouping: part, by: \.type).values {
                    do {
                        found.merge(try await recordsByID(for: ids)) { first, _ in first }
                    } catch RecordError.Code.outsideScope {
                        // A scope without a rule for the type shows none of its records.
                    }
                }
            }
        }
        return found
    }

    /// The versions of a type, as ``RecordDatabase/versions(ofType:after:limit:)`` lists them; none if a scope has no rule for
    /// the type.
    func shownVersions(
        ofType type: String, after name: String?, limit: Int
    ) async throws -> [RecordBatch.VersionedID] {
        do {
            return try await versions(ofType: type, after: name, limit: limit)
        } catch RecordError.Code.outsideScope {
            return []
        }
    }
}

extension RecordDatabaseLimits {
    /// Whether the records of a batch together are small enough.
    func accepts(bytesOf batch: RecordBatch) -> Bool {
        batchBytes == .max || batch.saves.reduce(0) { $0 + recordSize($1) } <= batchBytes
    }
}

extension Array {
    func parts(of size: Int) -> [ArraySlice<Element>] {
        let size = Swift.max(1, Swift.min(size, count))
        return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

extension Record {
    /// The record in the state of a database, to replace the version with its tag.
    init(_ id: Record.ID, _ fields: Record.Fields, replacing tag: String?) throws {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        try self.init(
            id: id, fields: fields,
            metadata: tag.map { Metadata(changeTag: $0, creationDate: date, modificationDate: date) })
    }

    var state: RemoteState { RemoteState(fields: fields, tag: metadata?.changeTag ?? "") }
}
