import Foundation
import NestedRecords
import NestedRecordsFile

/// A process that reads the file of this one, and reports when a live value in it has changed.
final class OtherProcess {
    static let command = "deliveries"

    private let process = Process()
    private let output = Pipe()
    private var lines: [Substring] = []
    private var rest = ""

    init(path: String) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = [Self.command, path]
        process.standardOutput = output
        try process.run()
    }

    /// The next delivery; nil if the process has ended.
    func next() throws -> Delivery? {
        while lines.isEmpty {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { return nil }
            rest += String(decoding: bytes, as: UTF8.self)
            let parts = rest.split(separator: "\n", omittingEmptySubsequences: false)
            lines = Array(parts.dropLast())
            rest = String(parts.last ?? "")
        }
        return try JSONDecoder().decode(Delivery.self, from: Data(lines.removeFirst().utf8))
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }

    /// The work of the process.
    static func run(_ arguments: [String]) async throws {
        guard arguments.count == 1 else { throw SQLiteFailure(message: "deliveries PATH") }
        let database = try FileRecordDatabase(path: arguments[0], options: .readOnly)
        for try await signal in RecordStore(database).live(Signal.self, named: "signal") {
            let delivery = Delivery(number: try signal.value?.number ?? -1, time: sharedTime())
            FileHandle.standardOutput.write(try JSONEncoder().encode(delivery) + Data("\n".utf8))
        }
    }
}
