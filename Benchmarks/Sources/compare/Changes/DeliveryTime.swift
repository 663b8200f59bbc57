import Foundation
import NestedRecords
import NestedRecordsFile

/// A value whose number is saved here and read there.
struct Signal: RecordCodable, Identifiable {
    var id = "signal"
    var number = 0
}

/// The clock that all processes of the machine share, in seconds.
func sharedTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

extension ChangeComparison {
    /// The time from the end of a save to the live value that has it, in one process.
    func addDelivery(_ name: String, _ database: some RecordDatabase & RecordFeed, to section: inout Section)
        async throws
    {
        try await RecordStore(database).overwrite(Signal())
        let (deliveries, continuation) = AsyncStream<Delivery>.makeStream()
        let reader = Task {
            for try await signal in RecordStore(database).live(Signal.self, named: "signal") {
                continuation.yield(Delivery(number: try signal.value?.number ?? -1, time: sharedTime()))
            }
        }
        defer { reader.cancel() }
        var iterator = deliveries.makeAsyncIterator()
        let times = try await deliver(in: database) { await iterator.next() }
        add(name, times, to: &section)
    }

    /// The time from the end of a save to the live value that has it, in another process.
    func addDeliveryToOtherProcess(_ path: String, to section: inout Section) async throws {
        let database = try FileRecordDatabase(path: path)
        try await RecordStore(database).overwrite(Signal())
        let process = try OtherProcess(path: path)
        defer { process.end() }
        add("file, two processes", try await deliver(in: database) { try process.next() }, to: &section)
        try await database.close()
    }

    /// Saves numbers one after the other, each after the delivery of the previous one.
    func deliver(
        in database: some RecordDatabase & RecordFeed, next: () async throws -> Delivery?
    ) async throws -> [Double] {
        // The first delivery shows that the reader is ready.
        guard try await next() != nil else { throw SQLiteFailure(message: "nothing is delivered") }
        var times: [Double] = []
        for number in 1...(isQuick ? 50 : 1_000) {
            _ = try await RecordStore(database).overwrite(Signal(number: number))
            let saved = sharedTime()
            while true {
                guard let delivery = try await next() else { throw SQLiteFailure(message: "nothing is delivered") }
                guard delivery.number >= number else { continue }
                // The number may be delivered before the save returns.
                times.append(max(0, delivery.time - saved))
                break
            }
        }
        return times.sorted()
    }

    func add(_ name: String, _ times: [Double], to section: inout Section) {
        section.add("\(name): a save to its live value, median", times.median * 1e6, "µs")
        section.add(
            "\(name): a save to its live value, 99th percentile", times[times.count * 99 / 100] * 1e6, "µs")
    }
}

/// The time of a delivery.
struct Delivery: Codable {
    var number: Int
    var time: Double
}
