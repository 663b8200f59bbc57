import Foundation
import NestedRecords
import TestSupport

@testable import NestedRecordsSync

/// What happens in a simulation.
struct SimulationOptions: Sendable {
    enum Topology: String, CaseIterable, Sendable {
        case star
        case chain
        case tree

        /// The database with which another one synchronizes.
        func parent(of number: Int) -> Int {
            switch self {
            case .star: 0
            case .chain: number - 1
            case .tree: (number - 1) / 2
            }
        }
    }

    var topology = Topology.star
    var databaseCount = 4
    var editCount = 50
    var hasDeletions = true
    var hasCounters = true
    var hasLists = true
    var hasCollisions = false

    /// Whether each record is edited in the database that made it alone.
    var hasOneWriter = false
    var deletionRule = SyncRules.DeletionRule.updateWins

    /// Whether some changes are refused while the edits go on.
    var hasRefusals = false

    /// Whether some values are assets, whose contents are collected at any time.
    var hasAssets = false

    /// Whether two records are always saved together, which every database must show together.
    var hasPairs = false

    /// What happens to a database, seldom enough that it is once in a history.
    enum Incident: Sendable, CaseIterable {
        case none

        /// The database that all others synchronize with is restored from a backup.
        case hubRestored

        /// Another one is restored from a backup.
        case deviceRestored

        /// Another one goes on twice.
        case deviceCopied

        /// Another one synchronizes no records of the edited type for some time.
        case typesChanged
    }

    var incident = Incident.none

    /// Makes a backup of a database; its result restores it.
    var backUp: @Sendable (any RecordDatabase) async throws -> Restore = { database in
        let copy = try await InMemoryRecordDatabase.copy(of: database)
        return { copy }
    }

    typealias Restore = @Sendable () async throws -> any RecordDatabase

    /// Whether a database that was restored has the tokens of the former one, and only lost changes can be noticed.
    var keepsTokens = false

    /// One of so many steps of a process is cut off by a loss of power; nil for none.
    ///
    /// All databases are record files on simulated disks then.
    var stepsBetweenPowerCuts: Int?

    /// Makes the database with a number; some kinds leave out the limits.
    var makeDatabase:
        @Sendable (_ number: Int, _ batchLimit: Int, _ maximumDeletionCount: Int) async throws -> any RecordDatabase = {
            InMemoryRecordDatabase(batchLimit: $1, maximumDeletionCount: $2)
        }
}

/// A random history of edits, synchronizations and faults.
///
/// The edits and the schedule have random numbers of their own, so that edits can be left out of a history that fails.
final class Simulation {
    private struct Link {
        let local: Replica
        let remote: Replica
        var strands: [Strand] = []

        /// Whether it must notice that its remote database was restored, and whether it has.
        var mustNotice = false
        var hasNoticed = false

        /// Whether it leaves out the type of the edited records.
        var isNarrow = false
    }

    private let options: SimulationOptions
    private var edits: SplitMix64
    private var schedule: SplitMix64
    private let network: Network
    private var replicas: [Replica] = []
    private var links: [Link] = []
    private var journal = EditJournal()
    private var syncOptions = SyncOptions()
    private let randomNumbers: Locked<SplitMix64>
    private let clock = Locked(Date(timeIntervalSinceReferenceDate: 0))
    private let mayRefuse: Locked<Bool>
    private var disks: [SimulatedDisk] = []

    init(seed: UInt64, _ options: SimulationOptions) throws {
        self.options = options
        edits = SplitMix64(seed: seed)
        schedule = SplitMix64(seed: seed ^ 0x5EED)
        network = Network(seed: seed ^ 0xFA17)
        randomNumbers = Locked(SplitMix64(seed: seed ^ 0xC0DE))
        mayRefuse = Locked(options.hasRefusals)
        syncOptions.rules.set(.counter, for: "c", ofType: "R")
        syncOptions.rules.set(.list, for: "l", ofType: "R")
        syncOptions.rules.deletions = options.deletionRule
        if options.hasAssets, options.topology == .star {
            syncOptions.contents = schedule.pick([.atOnce, .onFirstRead])
        }
        syncOptions.pageSize = options.hasPairs ? 1_000 : schedule.pick([1, 2, 3, 1_000])
    }

    private func makeReplicas() async throws {
        for number in 0..<options.databaseCount {
            let batchLimit = options.hasPairs ? Int.max : schedule.pick([5, 9, 50, .max])
            let deletionCount = schedule.pick([0, 2, 20, 1_000])
            let database: any RecordDatabase
            if options.stepsBetweenPowerCuts == nil {
                database = try await options.makeDatabase(number, batchLimit, deletionCount)
            } else {
                disks.append(SimulatedDisk())
                database = try disks[number].open()
            }
            replicas.append(Replica(number, database))
        }
        for number in 1..<options.databaseCount {
            links.append(Link(local: replicas[number], remote: replicas[options.topology.parent(of: number)]))
        }
    }

    /// Runs the history.
    ///
    /// - Returns: What is wrong in the end; empty if nothing is.
    func run() async throws -> [String] {
        try await makeReplicas()
        while journal.count < options.editCount {
            if options.incident != .none { try await meetIncident() }
            try await step()
            if options.hasPairs, try await showsHalfAPair() { return ["records that were saved together appear alone"] }
        }
        for position in links.indices {
            await crash(position)
            links[position].isNarrow = false
        }
        return try await end()
    }

    private func step() async throws {
        if options.hasAssets, schedule.chance(oneIn: 20) { return try await collect(schedule.pick(replicas)) }
        let choice = Int.random(in: 0..<100, using: &schedule)
        let position = Int.random(in: links.indices, using: &schedule)
        switch choice {
        case ..<10: try await journal.edit(edits.pick(replicas), &edits, options)
        case ..<18:
            let count = links[position].strands.count
            if count == 0 || count == 1 && schedule.chance(oneIn: 10) { try await begin(position) }
        case ..<19: await crash(position)
        case ..<21:
            _ = await network.deliver { Int.random(in: 0..<$0, using: &schedule) }
        case ..<22: clock.withLock { $0.addTimeInterval(3_600) }
        default:
            let strands = links.indices.flatMap { link in links[link].strands.map { (link, $0) } }
            if strands.isEmpty { return }
            let (link, strand) = schedule.pick(strands)
            if let count = options.stepsBetweenPowerCuts, schedule.chance(oneIn: count) {
                return try await cutPower(during: strand, of: links[link])
            }
            await strand.step()
            try await remove(strand, from: link)
        }
    }

    private func sync(_ link: Link, _ strand: Strand) throws -> RecordSync {
        let (clock, randomNumbers, mayRefuse) = (clock, randomNumbers, mayRefuse)
        var environment = SyncEnvironment()
        environment.now = { clock.withLock { $0 } }
        environment.sleep = { _ in try await strand.park() }
        environment.wholeSize = 0
        environment.random = { randomNumbers.withLock { $0.next() } }
        let local = ParkedDatabase(base: link.local.database, strand: strand)
        var remote = ParkedDatabase(base: link.remote.database, strand: strand, network: (network, link.remote))
        remote.refuses = { batch in mayRefuse.withLock { $0 } ? Self.refusal(of: batch) : nil }
        var options = syncOptions
        if link.isNarrow { options.types = ["Other"] }
        return try RecordSync(local, with: remote, named: "cloud", options: options, environment)
    }

    /// The error for a batch with a record that the remote database refuses; it names the record only in some cases.
    private static func refusal(of batch: RecordBatch) -> (any Error)? {
        for record in batch.saves {
            guard case .int(let number)? = record["a"], number.isMultiple(of: 7) else { continue }
            if number.isMultiple(of: 2) { return RecordDatabaseError(.notPermitted) }
            return RecordDatabaseError(.notPermitted, recordID: record.id)
        }
        return nil
    }

    /// Removes all contents that no record names at this moment.
    private func collect(_ replica: Replica) async throws {
        try await RecordStore(replica.database).assets.collect(olderThan: .seconds(-60))
    }

    private func begin(_ position: Int) async throws {
        let strand = Strand()
        let sync = try sync(links[position], strand)
        await strand.start { try await sync.synchronize() }
        links[position].strands.append(strand)
        try await remove(strand, from: position)
    }

    /// Removes a strand that has ended; rethrows an error that the network and other processes do not explain.
    private func remove(_ strand: Strand, from position: Int) async throws {
        guard strand.isFinished else { return }
        links[position].strands.removeAll { $0 === strand }
        guard let error = strand.error, !Self.isExpected(error) else { return }
        try await notice(error, position)
    }

    /// Lets a link begin again after its remote database was restored, as an application may; rethrows other errors.
    private func notice(_ error: any Error, _ position: Int) async throws {
        let link = links[position]
        guard isRestored, !link.hasNoticed, RecordDatabaseError.Code.restored ~= error else { throw error }
        links[position].hasNoticed = true
        await crash(position)
        try await RecordSync(link.local.database, with: link.remote.database, named: "cloud").detach()
    }

    private static func isExpected(_ error: any Error) -> Bool {
        if error is Crash { return true }
        guard let error = error as? RecordDatabaseError else { return false }
        // A collection that takes new contents has removed one before its record came.
        let isCollected = error.code == .missingAsset || error.code == .unknownUpload
        return [.connectionLost, .unknownOutcome, .busy].contains(error.code) || isCollected
    }

    private func crash(_ position: Int) async {
        for strand in links[position].strands { await strand.crash() }
        links[position].strands = []
    }

    // MARK: Incidents

    /// Lets a process go on, and takes the power from one of its databases at some moment of its next call.
    private func cutPower(during strand: Strand, of link: Link) async throws {
        let replica = schedule.pick([link.local, link.remote])
        disks[replica.number].record()
        await strand.step()
        let state = schedule.pick(disks[replica.number].moments).state
        for position in links.indices where links[position].local === replica || links[position].remote === replica {
            await crash(position)
        }
        let disk = SimulatedDisk(schedule.chance(oneIn: 4) ? state.afterKill() : state.afterPowerCut(&schedule))
        disks[replica.number] = disk
        replica.replace(by: try disk.open())
    }

    private var backup: SimulationOptions.Restore?
    private var knownAtBackup: Set<EditJournal.Written> = []
    private var isRestored = false

    private func meetIncident() async throws {
        let replica = replicas[options.incident == .hubRestored ? 0 : 1]
        let progress = Double(journal.count) / Double(options.editCount)
        if options.incident == .typesChanged {
            let isNarrow = progress > 0.4 && progress < 0.7
            if links[0].isNarrow != isNarrow {
                await crash(0)
                links[0].isNarrow = isNarrow
            }
            return
        }
        if backup == nil, progress > 0.4 {
            backup = try await options.backUp(replica.database)
            knownAtBackup = journal.written
        }
        guard !isRestored, progress > 0.7, let backup else { return }
        isRestored = true
        switch options.incident {
        case .none, .typesChanged: break
        case .hubRestored:
            for position in links.indices {
                await crash(position)
                let names = try LedgerNames(link: "cloud")
                let record = try await links[position].local.database.record(for: names.linkID())
                let link = try record.map { try LinkRecord($0) }
                links[position].mustNotice =
                    !options.keepsTokens && (link?.pulled != nil || link?.listing != nil)
            }
            // What was sent to the hub before is about versions that another one may have by now.
            while network.drop() {}
            try await journal.forget(journal.written.subtracting(written(in: replicas.dropFirst().map(\.database))))
            replica.replace(by: try await backup())
        case .deviceRestored:
            await crash(0)
            // What the device alone had, in its records or in its log of conflicts, is lost with it.
            let lost = try await journal.written.subtracting(knownAtBackup)
                .subtracting(written(in: [replicas[0].database]))
            let sync = try RecordSync(replica.database, with: replicas[0].database, named: "cloud")
            let logged = try await sync.conflicts().flatMap { conflict in
                (conflict.local ?? [:]).map {
                    EditJournal.Written(id: conflict.recordID, field: $0.name, value: $0.value)
                }
            }
            journal.forget(lost.intersection(try await written(in: [replica.database]).union(logged)))
            replica.replace(by: try await backup())
        case .deviceCopied:
            let copy = Replica(replicas.count, try await InMemoryRecordDatabase.copy(of: replica.database))
            replicas.append(copy)
            links.append(Link(local: copy, remote: replicas[0]))
        }
    }

    /// The values in databases.
    private func written(in databases: [any RecordDatabase]) async throws -> Set<EditJournal.Written> {
        var found: Set<EditJournal.Written> = []
        for database in databases {
            for (id, fields) in try await database.contents() {
                for (field, value) in fields { found.insert(EditJournal.Written(id: id, field: field, value: value)) }
            }
        }
        return found
    }

    private func showsHalfAPair() async throws -> Bool {
        for replica in replicas {
            let pair = try await replica.database.contents().filter { $0.key.type == "Pair" }
            if Set(pair.values.map { $0["value"] }).count > 1 || pair.count == 1 { return true }
        }
        return false
    }

    // MARK: The end

    /// Runs all links without faults until nothing is written, and compares.
    private func end() async throws -> [String] {
        network.setFaulty(false)
        while await network.deliver({ _ in 0 }) {}
        mayRefuse.withLock { $0 = false }
        clock.withLock { $0.addTimeInterval(1_000_000) }
        for pass in 0... {
            if pass > 40 { return ["it does not end"] }
            var hasWritten = false
            for position in links.indices.shuffled(using: &schedule) {
                do {
                    if try await synchronize(links[position]) { hasWritten = true }
                } catch {
                    try await notice(error, position)
                    hasWritten = true
                }
            }
            if options.hasAssets, !hasWritten, try await giveUpLostContents() { continue }
            if options.hasAssets, !hasWritten, pass < 20, try await waitsForAnAttempt() { continue }
            if !hasWritten { break }
        }
        let contents = try await replicas[0].database.contents()
        var faults: [String] = []
        var conflicts: [SyncConflict] = []
        if isRestored, options.incident == .hubRestored, links.contains(where: { $0.mustNotice && !$0.hasNoticed }) {
            faults.append("a restored database was not noticed")
        }
        for link in links {
            if try await link.local.database.contents() != contents {
                faults.append("the contents of \(link.local.number) differ")
            }
            let sync = try RecordSync(
                link.local.database, with: link.remote.database, named: "cloud", options: syncOptions)
            conflicts += try await sync.conflicts()
            let status = try await sync.status()
            if status.rejectedCount != 0 { faults.append("still rejected: \(try await sync.rejected())") }
            if status.isComparing { faults.append("the comparison has not ended") }
            let differences = try await sync.verify()
            if !differences.isEmpty { faults.append("verify() finds \(differences)") }
        }
        if options.hasAssets { faults += try await faultsOfContents() }
        return faults + journal.faults(contents, conflicts, options)
    }

    /// Takes assets out of rejected records as an application does: one side has deleted the record and collected the content
    /// before the other side read it, and the other side has changed the record.
    ///
    /// - Returns: Whether there was one.
    private func giveUpLostContents() async throws -> Bool {
        var isFound = false
        for link in links {
            let sync = try RecordSync(
                link.local.database, with: link.remote.database, named: "cloud", options: syncOptions)
            for change in try await sync.rejected() {
                guard var record = try await link.local.database.record(for: change.recordID),
                    case .asset(let asset)? = record["p"],
                    try await link.local.database.assets?.content(asset.hash) == nil,
                    try await link.remote.database.assets?.content(asset.hash) == nil
                else { continue }
                journal.forget([EditJournal.Written(id: record.id, field: "p", value: .asset(asset))])
                record["p"] = nil
                try await link.local.database.commit(RecordBatch(saving: [record]))
                isFound = true
            }
        }
        return isFound
    }

    /// Lets the time pass in which refused changes wait for their next attempt.
    private func waitsForAnAttempt() async throws -> Bool {
        for link in links {
            let sync = try RecordSync(
                link.local.database, with: link.remote.database, named: "cloud", options: syncOptions)
            if try await sync.status().rejectedCount > 0 {
                clock.withLock { $0.addTimeInterval(1_000_000) }
                return true
            }
        }
        return false
    }

    /// What is wrong with the contents of assets: those of the records are readable, and nothing else is left.
    private func faultsOfContents() async throws -> [String] {
        var faults: [String] = []
        for replica in replicas {
            try await collect(replica)
            let link = links.first { $0.local === replica }
            let store = RecordStore(replica.database)
            let sync = try link.map {
                try RecordSync(
                    $0.local.database, with: $0.remote.database, named: "cloud", options: syncOptions)
            }
            let assets = sync?.assets ?? store.assets
            for (id, fields) in try await replica.database.contents() {
                guard case .asset(let asset)? = fields["p"] else { continue }
                do { _ = try await assets.data(of: asset) } catch {
                    faults.append("the content of \(id) cannot be read in \(replica.number): \(error)")
                }
            }
            var named: Set<String> = []
            for try await record in replica.database.records(ofType: nil, including: .system) {
                named.formUnion(record.assets.map(\.hash))
                if record.id.type.hasSuffix("AssetUpload") {
                    faults.append("the record \(record.id) is left in \(replica.number)")
                }
            }
            for content in try await store.assets.contents(limit: 1_000) where !named.contains(content.hash) {
                faults.append("the content \(content.hash) is left in \(replica.number)")
            }
        }
        return faults
    }

    private func synchronize(_ link: Link) async throws -> Bool {
        let strand = Strand()
        let sync = try sync(link, strand)
        let hasWritten = Locked(false)
        await strand.start {
            let outcome = try await sync.synchronize()
            hasWritten.withLock { $0 = outcome.hasWritten || !outcome.isComplete }
        }
        while !strand.isFinished { await strand.step() }
        if let error = strand.error { throw error }
        return hasWritten.withLock { $0 }
    }
}
