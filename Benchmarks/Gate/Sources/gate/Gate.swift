import Counting
import Foundation

/// Fails if a change has unintended costs.
@main
struct Gate {
    private static let usage = """
        usage: gate [--update]

        Measures the coders and compares with Benchmarks/Gate/baseline.json.
          --update  writes the new figures to the baseline

        Exit codes: 0 no figure is worse, 1 a figure is worse or missing, 2 wrong usage.
        """

    static func main() throws {
        try InstructionChild.runIfAsked { try GateCase.work(named: $0) ?? GrowthCase.work(named: $0) }
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.allSatisfy({ $0 == "--update" }) else { fail(usage) }
        #if DEBUG
        fail("the gate needs a release build: swift run -c release --package-path Benchmarks/Gate gate")
        #else
        try run(isUpdate: !arguments.isEmpty)
        #endif
    }

    private static func run(isUpdate: Bool) throws {
        let start = ContinuousClock.now
        var measurement = Measurement()
        try measurement.run()
        let baseline = try Baseline()
        if !isUpdate { try measurement.repeatSlowOnes(baseline) }
        let report = GateReport(figures: measurement.figures, baseline: baseline)
        print(report)
        for obstacle in measurement.obstacles { print("Not measured: \(obstacle).") }
        print("Measuring took \(start.duration(to: .now).components.seconds) s.")
        if isUpdate { return try update(measurement.figures) }
        let failures = report.failures(mustBeComplete: ProcessInfo.processInfo.environment["CI"] != nil)
        guard !failures.isEmpty else { return }
        print("\nThe gate fails:")
        for failure in failures { print("  \(failure)") }
        print(
            """

            If this is intended, run with --update, and commit the baseline with the reason in the message:
              swift run -c release --package-path Benchmarks/Gate gate --update
            """)
        exit(1)
    }

    private static func update(_ figures: [Figure]) throws {
        guard figures.allSatisfy({ $0.value != nil }) else {
            print("The baseline is unchanged, because some figures are missing.")
            exit(1)
        }
        try Baseline(figures).write()
        print("The baseline has been updated with these figures.")
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(2)
    }
}
