import Foundation
import NestedRecords
import NestedRecordsFile
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecordsSync

@Suite(.serialized) struct SimulationTests {
    @Test(arguments: SimulationOptions.Topology.allCases)
    func replicasAgreeAndLoseNothing(_ topology: SimulationOptions.Topology) async throws {
        var options = SimulationOptions()
        options.topology = topology
        options.databaseCount = topology == .tree ? 5 : 3
        try await Simulation.check(options, count: 12)
    }

    @Test func replicasAgreeWhenDeletionsWin() async throws {
        var options = SimulationOptions()
        options.deletionRule = .deletionWins
        options.hasLists = false
        try await Simulation.check(options, count: 12)
    }

    @Test func replicasAgreeAboutRecordsThatSeveralMade() async throws {
        var options = SimulationOptions()
        options.hasCollisions = true
        try await Simulation.check(options, count: 12)
    }

    @Test func aWriterNeverConflictsWithItself() async throws {
        var options = SimulationOptions()
        options.hasOneWriter = true
        try await Simulation.check(options, count: 12)
    }

    @Test(arguments: SimulationOptions.Topology.allCases)
    func replicasAgreeAboutAssets(_ topology: SimulationOptions.Topology) async throws {
        var options = SimulationOptions()
        (options.topology, options.hasAssets, options.databaseCount) = (topology, true, 3)
        try await Simulation.check(options, count: 6, and: [474])
    }

    @Test func refusedChangesArriveLater() async throws {
        var options = SimulationOptions()
        options.hasRefusals = true
        try await Simulation.check(options, count: 12)
    }

    @Test func recordsThatAreSavedTogetherAppearTogether() async throws {
        for topology in SimulationOptions.Topology.allCases {
            var options = SimulationOptions()
            options.topology = topology
            options.hasPairs = true
            try await Simulation.check(options, count: 4)
        }
    }

    @Test(arguments: [SimulationOptions.Incident.hubRestored, .deviceRestored, .deviceCopied, .typesChanged])
    func replicasAgreeAfterAnIncident(_ incident: SimulationOptions.Incident) async throws {
        var options = SimulationOptions()
        options.incident = incident
        (options.hasCounters, options.hasLists, options.hasDeletions) = (false, false, false)
        try await Simulation.check(options, count: 12, and: [319, 2_792])
    }

    @Test func replicasInFilesAgree() async throws {
        let files = Locked<[Files]>([])
        var options = SimulationOptions()
        options.makeDatabase = { _, _, _ in try Files.make(in: files) }
        try await Simulation.check(options, count: 3) { try await Files.close(files) }
    }

    @Test func replicasInFilesAgreeAfterARestore() async throws {
        let files = Locked<[Files]>([])
        var options = SimulationOptions()
        (options.hasCounters, options.hasLists, options.hasDeletions) = (false, false, false)
        (options.incident, options.keepsTokens) = (.hubRestored, true)
        options.makeDatabase = { _, _, _ in try Files.make(in: files) }
        options.backUp = { database in
            guard let files = files.withLock({ files in files.first { $0.database === database as AnyObject } }) else {
                throw Malfunction()
            }
            let backup = files.folder.path("backup")
            try FileManager.default.copyItem(atPath: files.folder.path(), toPath: backup)
            return {
                try await files.database.close()
                return try FileRecordDatabase(path: backup)
            }
        }
        try await Simulation.check(options, count: 8, and: [17, 282, 3_832, 4_838]) { try await Files.close(files) }
    }

    /// A record file in a folder of its own.
    private struct Files {
        let folder: TemporaryFolder
        let database: FileRecordDatabase

        static func make(in files: Locked<[Files]>) throws -> FileRecordDatabase {
            let folder = try TemporaryFolder()
            var options = FileRecordDatabase.Options()
            options.durability = .relaxed
            let database = try FileRecordDatabase(path: folder.path(), options: options)
            files.withLock { $0.append(Files(folder: folder, database: database)) }
            return database
        }

        /// Closes the files of the history before: a process has a limited number of open files.
        static func close(_ files: Locked<[Files]>) async throws {
            for files in files.withLock({ files in
                defer { files = [] }
                return files
            }) { try await files.database.close() }
        }
    }

    @Test func replicasOverANetworkThatSplitsBatchesAgree() async throws {
        var options = SimulationOptions()
        options.makeDatabase = { _, batchLimit, maximumDeletionCount in
            var options = FaultyRemoteDatabase.Options()
            options.limits.batchCount = batchLimit
            options.maximumDeletionCount = maximumDeletionCount
            options.capabilities.remove([.snapshotReads, .wholeBatchesInFeed, .conditions, .referrerConditions])
            return FaultyRemoteDatabase(options)
        }
        try await Simulation.check(options, count: 6)
    }

    /// Record files on disks that lose their power while something is written: a batch is torn, or reached the disk in part.
    @Test func replicasAgreeAfterPowerCuts() async throws {
        var options = SimulationOptions()
        (options.databaseCount, options.stepsBetweenPowerCuts) = (3, 30)
        try await Simulation.check(options, count: 6)
    }
}
