import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import records

@Suite struct WorldTests {
    @Test(arguments: [Planet.invented, .generated]) func worldComesBack(_ planet: Planet) async throws {
        let encoder = JSONEncoder()
        // A place that occurs twice has its keys in one order.
        encoder.outputFormatting = .sortedKeys
        #expect(try await nestedAgain(encoder.encode(planet)) == planet.recordCount)
    }

    @Test(.enabled(if: WorldFile.url != nil, "NESTED_RECORDS_WORLD has the path of a large world"))
    func largeWorldComesBack() async throws {
        #expect(try await nestedAgain(WorldFile.data()) == WorldFile.planet().recordCount)
    }

    /// Flattens a document, expects the same one back, and returns the number of records.
    private func nestedAgain(_ data: Data) async throws -> Int {
        var records: [Record] = []
        try GuessedDocument(Array(data), of: "planet.json", GuessOptions(path: "planet.json")).forEachRecord {
            records.append($0)
        }
        let types = ["Planet", "Region", "Subregion", "Country", "State", "City"]
        // The generated world has time zones, too.
        let found = records.dropFirst().map(\.id.type).filter { $0 != "Timezone" }
        #expect(Set(found) == Set(types))
        let document = try DocumentRecord(try #require(records.first), of: "planet.json")
        let nested = try await Nesting().document(document, in: LoadedRecords(records, name: "planet.json"))
        var bytes: [UInt8] = []
        try nested.write(.pretty) { bytes += $0 }
        let both = try JSONTree([0x5B] + Array(data) + [0x2C] + bytes + [0x5D])
        let values = Array(both.children(of: 1))
        #expect(values.count == 2 && both.isEqual(values[0], values[1]))
        return found.count
    }
}
