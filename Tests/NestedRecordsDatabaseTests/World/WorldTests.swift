import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct WorldTests {
    @Test(arguments: [Planet.invented, .generated]) func worldComesBackFromADatabase(_ planet: Planet) async throws {
        try await expectBackFromDatabase(planet)
    }

    @Test(.enabled(if: WorldFile.url != nil, "NESTED_RECORDS_WORLD has the path of a large world"))
    func largeWorldComesBackFromADatabase() async throws {
        try await expectBackFromDatabase(WorldFile.planet())
    }

    @Test(arguments: [Planet.invented, .generated]) func worldComesBackFromLines(_ planet: Planet) throws {
        try expectBackFromLines(planet)
    }

    @Test(.enabled(if: WorldFile.url != nil, "NESTED_RECORDS_WORLD has the path of a large world"))
    func largeWorldComesBackFromLines() throws {
        try expectBackFromLines(WorldFile.planet())
    }

    @Test func sharedPlacesAreOneRecord() throws {
        let planet = Planet.generated
        let states = planet.regions.flatMap(\.subregions).flatMap(\.countries).flatMap(\.states)
        let cities = states.flatMap(\.cities)
        let graph = try RecordEncoder().encode(planet)
        for (type, ids) in [("State", states.map(\.id)), ("City", cities.map(\.id))] {
            #expect(Set(ids).count < ids.count)
            #expect(graph.count { $0.id.type == type } == Set(ids).count)
        }
        #expect(graph.count > 3_000)
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

    private func expectBackFromDatabase(_ planet: Planet) async throws {
        let graph = try RecordEncoder().encode(planet)
        #expect(graph.count == planet.recordCount && graph.roots.map(\.description) == ["Planet/\(planet.id)"])
        let database = CountingWorldDatabase()
        try await database.save(graph)
        let decoded = try await RecordDecoder().resolve(Planet.self, from: graph.roots[0], in: database)
        #expect(decoded.value == planet && decoded.recordCount == graph.count)
        let calls = database.fetchCalls
        // One for the root, then regions, subregions, countries, states and cities.
        #expect(calls.count == 6)
        #expect(calls.map { Set($0.map(\.type)).sorted() } == Planet.levels.map { [$0] })
        #expect(calls.joined().count == graph.count)
        #expect(Set(calls.joined()).count == graph.count)
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
