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
        let document = try JSONDocument(data)
        var flattening = Flattening(rootType: "Planet")
        flattening.types = [
            "regions": "Region", "subregions": "Subregion", "countries": "Country", "states": "State", "cities": "City",
        ]
        flattening.locationKeys = ["location"]
        let graph = try flattening.records(of: document)
        #expect(Set(graph.map(\.id.type)) == ["Planet", "Region", "Subregion", "Country", "State", "City"])
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        let nested = try await Nesting().document(try #require(graph.roots.first), in: database)
        var bytes = Data()
        try nested.write(.pretty) { bytes.append(contentsOf: $0) }
        #expect(try JSONDocument(bytes).root == document.root)
        return graph.count
    }
}
