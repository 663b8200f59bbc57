import Foundation
import NestedRecords

/// Adds a file, copies it out and removes it, and reports the time and the memory that this takes.
struct AssetMeter {
    private let store: RecordStore

    init(_ store: RecordStore) { self.store = store }

    func run(_ file: String, _ copy: String) async throws {
        // The first use of a database and of Foundation.
        _ = try await store.assets.data(of: store.assets.add(Data([1])))
        report("before \(try Self.peak())")
        let asset = try await time("added") { try await store.assets.add(file: file) }
        try await time("copied") { try await store.assets.copy(asset, to: copy) }
        _ = try await time("removed") { try await store.assets.collect(olderThan: .zero - .seconds(60)) }
        report("peak \(try Self.peak())")
    }

    /// Reports the seconds that a step takes, and those of the processor in this process.
    private func time<Result>(_ step: String, _ body: () async throws -> Result) async rethrows -> Result {
        let (start, before) = (ContinuousClock.now, clock())
        let result = try await body()
        let processor = Double(clock() - before) / Double(CLOCKS_PER_SEC)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        report("\(step) \(seconds) s, processor \(processor) s")
        return result
    }

    /// The largest number of KiB of memory that this process has had.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let line, let count = Int(line.filter(\.isNumber)) else { throw Wrong("no memory in \(status)") }
        return count
    }
}
