import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct RandomRecordTests {
    struct Holder: RecordCodable, Identifiable {
        var id: Int
        var record: Record
        var records: [Record]
        var optional: Record?
        var byName: [String: Record]
        var values: [Record.Value]
    }

    /// Blocks of seeds, so that a failing one is named and the work is shared.
    private static let blocks = Sweep.some(1, of: 0..<20 as Range<UInt64>)
    private static let casesPerBlock: UInt64 = 150

    private func check(
        _ block: UInt64, hasNulls: Bool = true, _ roundTrip: (Record) async throws -> Record
    ) async throws {
        for seed in block * Self.casesPerBlock..<(block + 1) * Self.casesPerBlock {
            var random = RandomRecord(seed: seed)
            random.hasNulls = hasNulls
            let record = try random.record()
            do {
                // The records themselves may hold dates that Foundation cannot print.
                let isSame = try await roundTrip(record).isIdentical(to: record)
                #expect(isSame, "seed \(seed)")
            } catch {
                Issue.record(error, "seed \(seed)")
            }
        }
    }

    @Test(arguments: [JSONEncoder.OutputFormatting.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
    func everyFormattingOfJSONLosesNothing(_ formatting: JSONEncoder.OutputFormatting) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        try await check(100) { try JSONDecoder().decode(Record.self, from: encoder.encode($0)) }
    }

    @Test(arguments: Sweep.some(1, of: 200..<210 as Range<UInt64>)) func propertyListsLoseNothingButNulls(
        _ block: UInt64
    ) async throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try await check(block, hasNulls: false) {
            try PropertyListDecoder().decode(Record.self, from: encoder.encode($0))
        }
    }

    @Test(arguments: blocks) func recordInARecordLosesNothing(_ block: UInt64) async throws {
        try await check(block) { record in
            let holder = Holder(
                id: 1, record: record, records: [record, record], optional: record, byName: ["$ref": record],
                values: record.fields.map(\.value))
            let graph = try RecordEncoder().encode(holder)
            #expect(graph.map(\.id.description) == ["Holder/1"])
            let decoded = try RecordDecoder().decode(Holder.self, from: graph)
            #expect(decoded.records.allSatisfy { $0.isIdentical(to: record) })
            #expect(decoded.records.count == 2)
            #expect(decoded.optional?.isIdentical(to: record) == true)
            #expect(decoded.byName["$ref"]?.isIdentical(to: record) == true)
            #expect(Record.Value.list(decoded.values).hasSameBits(as: .list(holder.values)))
            return decoded.record
        }
    }

    @Test func recordInARecordFollowsNoReferences() async throws {
        let target = Record.Value.reference(Record.Reference(to: try Record.ID("Other/1")))
        let record = try Record(id: Record.ID("A/1"), fields: ["target": target])
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(
            Holder(id: 1, record: record, records: [], optional: nil, byName: [:], values: [target]))
        // Once without knowing the type, and again with what was learnt about it.
        for _ in 1...2 {
            let resolution = try await RecordDecoder().resolve(Holder.self, from: Record.ID("Holder/1"), in: database)
            #expect(resolution.value.record == record)
            #expect(resolution.callCount == 1)
        }
    }

    @Test(arguments: blocks) func equalRecordsHaveOneHash(_ block: UInt64) async throws {
        try await check(block) { record in
            var copy = try Record(id: Record.ID(record.id.description), metadata: record.metadata)
            for (name, value) in record.fields.reversed() { copy[name] = value }
            #expect(copy.hashValue == record.hashValue)
            return copy
        }
    }

    @Test(arguments: blocks) func descriptionNamesEveryField(_ block: UInt64) async throws {
        try await check(block) { record in
            let text = record.description
            #expect(text.hasPrefix(record.id.description))
            // Contained in bytes: characters may combine with what stands before them.
            // Names that are no plain words stand in quotes.
            #expect(
                record.fields.allSatisfy { field in
                    [field.name, field.name.debugDescription].contains { text.utf8.contains("    \($0): ".utf8) }
                })
            return record
        }
    }

    @Test func generatorMakesEveryKindOfValue() throws {
        var ranks: Set<String> = []
        func visit(_ value: Record.Value) {
            switch value {
            case .list(let values): values.forEach(visit)
            case .map(let fields): fields.forEach { visit($0.value) }
            default: break
            }
            ranks.insert(Mirror(reflecting: value).children.first?.label ?? "null")
        }
        for seed in 0..<200 as Range<UInt64> {
            var random = RandomRecord(seed: seed)
            visit(.map(try random.record().fields))
        }
        #expect(
            ranks == [
                "null", "bool", "int", "double", "string", "date", "bytes", "location", "reference", "list", "map",
            ])
    }
}
