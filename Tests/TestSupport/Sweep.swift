import Foundation

/// How much of an exhaustive check is run: a sample that is the same each time, or all of it with `SWEEPS=whole` in the
/// environment.
package enum Sweep {
    /// Whether everything is run.
    package static let isWhole = ProcessInfo.processInfo.environment["SWEEPS"] == "whole"

    /// Elements that are spread evenly over a collection, the first and the last among them; all of a whole sweep.
    package static func some<Element>(_ sample: Int, of elements: some Collection<Element>) -> [Element] {
        let all = Array(elements)
        if isWhole || all.count <= sample { return all }
        if sample < 2 { return Array(all.prefix(sample)) }
        return (0..<sample).map { all[$0 * (all.count - 1) / (sample - 1)] }
    }

    /// The seeds of repetitions with random values.
    package static func seeds(_ sample: Int, whole: Int) -> [UInt64] {
        (0..<count(sample, whole: whole)).map { seed &+ UInt64($0) }
    }

    /// A number of repetitions.
    package static func count(_ sample: Int, whole: Int) -> Int { isWhole ? whole : min(sample, whole) }

    /// The seed of random values: a fixed one, or another one each time for a whole sweep.
    ///
    /// The caller prints it, so that a run can be repeated with `SWEEP_SEED` in the environment.
    package static let seed =
        ProcessInfo.processInfo.environment["SWEEP_SEED"].flatMap { UInt64($0) }
        ?? (isWhole ? .random(in: .min ... .max) : 20_261_124)
}
