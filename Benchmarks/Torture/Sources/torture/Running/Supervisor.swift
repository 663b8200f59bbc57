import Foundation

/// Runs all kinds of trials, each for its share of the time, and prints how to repeat a finding.
struct Supervisor {
    private let seconds: Double
    private let folder: String
    private let seed: UInt64

    /// The kind of the seed, if only that trial is run.
    private let only: Kind?

    /// The time limit of one trial.
    private static let longestTrial = 120

    /// - Parameter arguments: The program, the seconds, the seed or a kind with the seed of a trial, and the folder.
    init(_ arguments: [String]) throws {
        guard arguments.count == 4, let seconds = Double(arguments[1]) else {
            throw Loss(description: "usage: torture <seconds> <seed, or kind:seed> <folder>")
        }
        let parts = arguments[2].split(separator: ":").map(String.init)
        guard let last = parts.last, let seed = UInt64(last), parts.count == 1 || Kind(rawValue: parts[0]) != nil else {
            let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Loss(description: "no seed: \(arguments[2]); kinds are \(kinds)")
        }
        (self.seconds, self.seed, folder) = (seconds, seed, arguments[3])
        only = parts.count == 2 ? Kind(rawValue: parts[0]) : nil
    }

    func run() async throws {
        if let only { return try run(only, seed, for: nil) }
        say("seed \(seed)")
        try await Controls(folder: folder, seed: seed).run()
        for kind in Kind.allCases { try run(kind, seed, for: seconds * kind.share) }
        say("nothing lost, nothing wrong, no crash")
    }

    /// Runs trials in a program of their own.
    private func run(_ kind: Kind, _ seed: UInt64, for seconds: Double?) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments =
            ["--trials", kind.rawValue, "\(seed)", folder] + (seconds.map { ["\($0)"] } ?? [])
        try process.run()
        var (last, since) = (UInt64?.none, Date())
        while process.isRunning {
            usleep(20_000)
            let current = noted(kind)
            if current != last { (last, since) = (current, Date()) }
            guard Date().timeIntervalSince(since) > Double(Self.longestTrial) else { continue }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            throw Loss(description: "no end after \(Self.longestTrial) s; \(replay(kind))")
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let how = process.terminationReason == .exit ? "" : " (signal \(process.terminationStatus))"
            throw Loss(description: "lost\(how); \(replay(kind))")
        }
    }

    private func noted(_ kind: Kind) -> UInt64? {
        guard let data = FileManager.default.contents(atPath: Worker.noteName(kind, folder)), data.count == 8 else {
            return nil
        }
        return data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }

    private func replay(_ kind: Kind) -> String {
        "run Benchmarks/Torture/run 0 \(kind.rawValue):\(noted(kind).map { "\($0)" } ?? "?")"
    }
}
