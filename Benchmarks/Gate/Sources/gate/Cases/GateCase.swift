import Counting
import Foundation
import Models
import NestedRecords

/// A graph whose encoding and decoding are measured.
struct GateCase: Sendable {
    let name: String

    /// The number of its records.
    let records: Int

    /// The number of allocations of decoding for the user's types.
    ///
    /// One for each instance of a class, and one for each array that is not empty. Texts are shared with the records.
    let objects: Int

    /// Prepares the work of one direction, with records and with JSON.
    let work: @Sendable (Direction) throws -> Work
    let json: @Sendable (Direction) throws -> Work

    enum Direction: String, CaseIterable, Sendable {
        case encode, decode
    }

    private init(
        _ name: String, records: Int, objects: Int, _ work: @escaping @Sendable (Direction) throws -> Work,
        json: @escaping @Sendable (Direction) throws -> Work
    ) {
        (self.name, self.records, self.objects, self.work, self.json) = (name, records, objects, work, json)
    }

    /// Makes a case with one root.
    init<Root: RecordCodable>(
        _ name: String, records: Int, objects: Int, _ make: @escaping @Sendable () throws -> Root
    ) {
        self.init(name, records: records, objects: objects) { direction in
            let (root, encoder, decoder) = (try make(), RecordEncoder(), RecordDecoder())
            let graph = try encoder.encode(root)
            guard graph.count == records else { throw WrongCount(name: name, records: graph.count) }
            return direction == .encode
                ? Work { try encoder.encode(root) } : Work { try decoder.decode(Root.self, from: graph) }
        } json: {
            try Self.json($0, make())
        }
    }

    /// Makes a case with a list of roots.
    init<Root: RecordCodable>(
        _ name: String, records: Int, listOf make: @escaping @Sendable () throws -> [Root]
    ) {
        self.init(name, records: records, objects: 1) { direction in
            let (roots, encoder, decoder) = (try make(), RecordEncoder(), RecordDecoder())
            let graph = try encoder.encode(roots)
            guard graph.count == records else { throw WrongCount(name: name, records: graph.count) }
            return direction == .encode
                ? Work { try encoder.encode(roots) } : Work { try decoder.decodeAll(Root.self, from: graph) }
        } json: {
            try Self.json($0, make())
        }
    }

    private static func json<Value: Codable>(_ direction: Direction, _ value: Value) throws -> Work {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        let json = try encoder.encode(value)
        return direction == .encode
            ? Work { try encoder.encode(value) } : Work { try decoder.decode(Value.self, from: json) }
    }
}

private struct WrongCount: Error, CustomStringConvertible {
    let name: String
    let records: Int

    var description: String { "\(name) has \(records) records" }
}
