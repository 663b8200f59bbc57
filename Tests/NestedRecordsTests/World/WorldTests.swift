import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

@Suite struct WorldTests {
    @Test(.needs(.world)) func wholeWorldComesBackFromADatabase() async throws {
        try await expectBackFromDatabase(WorldFile.world.planet(), records: 63_804)
    }

    @Test(.needs(.small)) func smallWorldComesBackFromADatabase() async throws {
        try await expectBackFromDatabase(WorldFile.small.planet(), records: nil)
    }

    @Test func inventedWorldComesBackFromADatabase() async throws {
        try await expectBackFromDatabase(.invented, records: Planet.invented.recordCount)
    }

    @Test(.needs(.world)) func wholeWorldComesBackFromAFile() async throws {
        try await expectBackFromFile(WorldFile.world.planet())
    }

    @Test func inventedWorldComesBackFromAFile() async throws {
        try await expectBackFromFile(.invented)
    }

    @Test(.needs(.world)) func wholeWorldComesBackFromLines() throws {
        try expectBackFromLines(WorldFile.world.planet())
    }

    @Test(.needs(.small)) func smallWorldComesBackFromLines() throws {
        try expectBackFromLines(WorldFile.small.planet())
    }

    @Test func inventedWorldComesBackFromLines() throws {
        try expectBackFromLines(.invented)
    }

    @Test func equalNumbersOfDifferentTypesAreDifferentRecords() throws {
        let graph = try RecordEncoder().encode(Planet.invented)
        for type in ["Region", "Subregion", "Country", "State", "City"] {
            #expect(graph[try Record.ID(type: type, name: "1")] != nil)
        }
    }

    @Test func placesAreLocationsAndTimeZonesAreMaps() throws {
        let graph = try RecordEncoder().encode(Planet.invented)
        let country = try #require(graph[try Record.ID("Country/1")])
        #expect(country["location"] == .location(try Location(latitude: -12.5, longitude: 170.25)))
        let zone: Record.Fields = [
            "name": .string("Sea/North"), "gmtOffset": .int(43_200), "abbreviation": .string("SN"),
        ]
        #expect(country["timezones"] == .list([.map(zone)]))
        #expect(country["translations"] == .map(["fr": .string("Île"), "ja": .string("島")]))
        #expect(country["population"] == nil)
    }

    private func expectBackFromDatabase(_ planet: Planet, records: Int?) async throws {
        let graph = try RecordEncoder().encode(planet)
        #expect(graph.count == records ?? planet.recordCount)
        #expect(graph.roots.map(\.description) == ["Planet/\(planet.id)"])
        let database = CountingWorldDatabase()
        try await database.save(graph)
        let decoded = try await RecordDecoder().resolve(Planet.self, from: graph.roots[0], in: database)
        #expect(decoded.value == planet)
        #expect(decoded.recordCount == graph.count)
        let calls = database.fetchCalls
        // One for the root, then regions, subregions, countries, states and cities.
        #expect(calls.count == 6)
        #expect(calls.map { Set($0.map(\.type)).sorted() } == Planet.levels.map { [$0] })
        #expect(calls.joined().count == graph.count)
        #expect(Set(calls.joined()).count == graph.count)
    }

    private func expectBackFromFile(_ planet: Planet) async throws {
        let folder = try TemporaryFolder()
        let graph = try RecordEncoder().encode(planet)
        let database = try FileRecordDatabase(path: folder.path())
        try await database.save(graph)
        try await database.close()
        let again = try FileRecordDatabase(path: folder.path())
        let statistics = try await again.statistics()
        #expect(statistics.recordCount == graph.count)
        #expect(try await again.load(Planet.self, named: "\(planet.id)") == planet)
        print("\(graph.count) records of the world in a file of \(statistics.fileSize) bytes")
    }

    private func expectBackFromLines(_ planet: Planet) throws {
        let graph = try RecordEncoder().encode(planet)
        let encoder = JSONEncoder()
        let lines = try graph.map { try encoder.encode($0) }.joined(separator: [0x0A])
        let decoder = JSONDecoder()
        let records = try lines.split(separator: 0x0A).map { try decoder.decode(Record.self, from: Data($0)) }
        #expect(records.count == graph.count)
        let reread = try RecordGraph(records)
        #expect(reread.roots == graph.roots)
        #expect(reread == graph)
        #expect(try RecordDecoder().decode(Planet.self, from: reread) == planet)
    }
}
