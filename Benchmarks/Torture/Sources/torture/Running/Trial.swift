import Foundation

@testable import TestSupport

/// The counts of a trial, by name.
typealias Counts = [String: Int]

/// The kinds of trials.
///
/// Each trial depends only on its seed, and throws or ends the program if it finds a fault.
enum Kind: String, CaseIterable {
    /// Programs that are killed while they write to a real file, see ``Rounds``. The seed determines the operation in
    /// which they are killed; the exact moment depends on the system.
    case kills

    /// Losses of power during recorded system calls, see ``PowerTrial``.
    case power

    /// System calls that fail, see ``FaultTrial``.
    case faults

    /// Files with changed bytes and right checksums, see ``FileCheck``.
    case files

    /// Bytes that are read as records, see ``RecordInput``.
    case records

    /// Programs of calls to the coders, see ``ProgramInput``.
    case programs

    /// Types of every shape, compared with the coders of JSON, see ``Differential``.
    case differential

    /// Databases with wrong answers, see ``DatabaseTrial``.
    case databases

    /// Its share of the time.
    var share: Double {
        switch self {
        case .kills: 0.25
        case .power: 0.2
        case .faults, .files, .databases: 0.1
        case .programs, .differential: 0.1
        case .records: 0.05
        }
    }

    func run(seed: UInt64, folder: String, _ counts: inout Counts) async throws {
        var random = SplitMix64(seed: seed)
        switch self {
        case .kills:
            // The trial has a folder of its own, which stays if it finds a fault.
            let folder = "\(folder)/kills-\(seed)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            var rounds = Rounds(folder: folder, random: random)
            for _ in 0..<4 { try await rounds.next() }
            counts.merge(rounds.counts.byName) { $0 + $1 }
            try FileManager.default.removeItem(atPath: folder)
        case .power:
            var trial = PowerTrial(random: random)
            try await trial.run(&counts)
        case .faults: try await FaultTrial.run(&random, &counts)
        case .files: await FileInput.check(Mutation.of(try await FileInput.seeds(), &random))
        case .records: RecordInput.check(Mutation.of(try RecordInput.seeds(), &random))
        case .programs:
            let isNew = random.chance(oneIn: 2)
            ProgramInput.check(
                isNew ? CallProgram.random(&random).bytes : Mutation.of(ProgramInput.seeds(), &random))
        case .differential: try await DifferentialTrial.run(seed: seed, &counts)
        case .databases: try await DatabaseTrial.run(&random, &counts)
        }
    }
}
