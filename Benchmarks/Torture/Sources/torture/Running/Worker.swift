import Foundation

@testable import TestSupport

/// Runs trials of one kind until the time is over, or one trial.
struct Worker {
    private let kind: Kind
    private let seed: UInt64
    private let folder: String

    /// The time; nil for one trial with the seed itself.
    private let seconds: Double?

    /// - Parameter arguments: `--trials`, the kind, the seed, the folder, and the seconds.
    init(_ arguments: [String]) throws {
        guard arguments.count >= 5, let kind = Kind(rawValue: arguments[2]), let seed = UInt64(arguments[3]) else {
            throw Loss(description: "not trials: \(arguments)")
        }
        (self.kind, self.seed, folder) = (kind, seed, arguments[4])
        seconds = arguments.count > 5 ? Double(arguments[5]) : nil
    }

    /// The file in which a worker notes its current trial.
    static func noteName(_ kind: Kind, _ folder: String) -> String { "\(folder)/\(kind.rawValue).seed" }

    func run() async throws {
        let start = Date()
        var random = SplitMix64(seed: seed)
        var (counts, trials) = (Counts(), 0)
        let note = open(Self.noteName(kind, folder), O_RDWR | O_CREAT, 0o600)
        repeat {
            var seed = seconds == nil ? seed : random.next()
            pwrite(note, &seed, 8, 0)
            do {
                try await kind.run(seed: seed, folder: folder, &counts)
            } catch {
                throw Loss(description: "\(kind.rawValue): \(error)")
            }
            trials += 1
        } while Date().timeIntervalSince(start) < seconds ?? 0
        let words = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        let time = Int(Date().timeIntervalSince(start))
        say("\(kind.rawValue): \(([("\(trials) trials in \(time) s")] + words).joined(separator: ", "))")
    }
}
