import Foundation
import NestedRecords
import TestSupport
import Testing

/// Several writers that change the same nested values in turn, against a plain account of who meant to change what.
@Suite struct StoredHistoryTests {
    struct Desk: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var title = ""
        var note: String?
        var lamp = Lamp()
        var main: Item?
        var items: [Item] = []
    }

    struct Lamp: Codable, Equatable {
        var colour = "white"
        var watts: Int?
    }

    struct Item: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var label = ""
        var size: Int?
        var parts: [Part] = []
    }

    struct Part: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var text = ""
        var colour: String?
    }

    /// More of them with the variable `HISTORIES` in the environment.
    static let seeds = Sweep.some(
        3, of: 0..<(ProcessInfo.processInfo.environment["HISTORIES"].flatMap { UInt64($0) } ?? 20))

    @Test(arguments: seeds)
    func noChangeIsLostWithoutAnError(seed: UInt64) async throws {
        var history = try await StoredHistory(seed: seed, batchLimit: .max)
        try await history.run(steps: 60)
    }

    @Test(arguments: seeds)
    func noChangeIsLostInSmallBatches(seed: UInt64) async throws {
        var history = try await StoredHistory(seed: seed, batchLimit: Int(seed % 3) + 1)
        try await history.run(steps: 60)
    }

    @Test(arguments: seeds)
    func noChangeIsLostWhereCallsFail(seed: UInt64) async throws {
        var history = try await StoredHistory(seed: seed, batchLimit: seed % 2 == 0 ? .max : Int(seed % 3) + 1)
        history.doCallsFail = true
        try await history.run(steps: 60)
    }
}

extension StoredHistoryTests.Desk {
    /// The fields of all records, as they must be in a database.
    var fields: [Record.ID: [String: Record.Value]] {
        get throws {
            var all: [Record.ID: [String: Record.Value]] = [:]
            var desk: [String: Record.Value] = ["title": .string(title)]
            desk["note"] = note.map { .string($0) }
            var lamp: Record.Fields = ["colour": .string(self.lamp.colour)]
            if let watts = self.lamp.watts { lamp["watts"] = .int(Int64(watts)) }
            desk["lamp"] = .map(lamp)
            desk["main"] = try main.map { .reference(Record.Reference(to: try Record.ID("Item/\($0.id)"))) }
            desk["items"] = .list(
                try items.map { .reference(Record.Reference(to: try Record.ID("Item/\($0.id)"))) })
            all[try Record.ID("Desk/\(id)")] = desk
            for item in items + [main].compactMap({ $0 }) {
                var fields: [String: Record.Value] = ["label": .string(item.label)]
                fields["size"] = item.size.map { .int(Int64($0)) }
                fields["parts"] = .list(
                    try item.parts.map { .reference(Record.Reference(to: try Record.ID("Part/\($0.id)"))) })
                all[try Record.ID("Item/\(item.id)")] = fields
                for part in item.parts {
                    var fields: [String: Record.Value] = ["text": .string(part.text)]
                    fields["colour"] = part.colour.map { .string($0) }
                    all[try Record.ID("Part/\(part.id)")] = fields
                }
            }
            return all
        }
    }

    /// Changes an item wherever it is.
    mutating func changeItem(_ id: String, _ change: (inout StoredHistoryTests.Item) -> Void) {
        for index in items.indices where items[index].id == id { change(&items[index]) }
        if main?.id == id, var item = main {
            change(&item)
            main = item
        }
    }

    /// Changes a part wherever it is.
    mutating func changePart(_ id: String, _ change: (inout StoredHistoryTests.Part) -> Void) {
        for item in items + [main].compactMap({ $0 }) {
            changeItem(item.id) { item in
                for index in item.parts.indices where item.parts[index].id == id { change(&item.parts[index]) }
            }
        }
    }

    func item(_ id: String) -> StoredHistoryTests.Item? { (items + [main].compactMap { $0 }).first { $0.id == id } }

    func part(_ id: String) -> StoredHistoryTests.Part? {
        (items + [main].compactMap { $0 }).flatMap(\.parts).first { $0.id == id }
    }
}
