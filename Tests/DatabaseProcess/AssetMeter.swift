import Foundation
import NestedRecords

/// Adds a file and copies it out, and reports the seconds and the memory that this takes.
struct AssetMeter {
    private let store: RecordStore

    init(_ store: RecordStore) { self.store = store }

    func run(_ file: String, _ copy: String) async throws {
        // The first use of a database and of Foundation.
        _ = try await store.assets.data(of: store.assets.add(Data([1])))
        report("before \(try Self.peak())")
        let clock = ContinuousClock()
        var start = clock.now
        let asset = try await store.assets.add(file: file)
        report("added \(start.duration(to: clock.now))")
        start = clock.now
        try await store.assets.copy(asset, to: copy)
        report("copied \(start.duration(to: clock.now))")
        start = clock.now
        _ = try await store.assets.collect(olderThan: .zero - .seconds(60))
        report("removed \(start.duration(to: clock.now))")
        report("peak \(try Self.peak())")
    }

    /// The largest number of KiB of memory that this process has had.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let line, let count = Int(line.filter(\.isNumber)) else { throw Wrong("no memory in \(status)") }
        return count
    }
}
