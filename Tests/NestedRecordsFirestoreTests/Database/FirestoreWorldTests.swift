import NestedRecordsFirestore
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords

/// A large graph, with the number of requests for each step.
struct FirestoreWorldTests {
    @Test(arguments: [Planet.invented, .generated]) func worldComesBackFromFirestore(_ planet: Planet) async throws {
        try await expectBack(planet)
    }

    @Test(.enabled(if: WorldFile.url != nil, "NESTED_RECORDS_WORLD has the path of a large world"))
    func largeWorldComesBackFromFirestore() async throws { try await expectBack(WorldFile.planet()) }

    private func expectBack(_ planet: Planet) async throws {
        let server = StandInServer()
        let database = try database(server)
        func expect(_ calls: [String: Int], _ body: () async throws -> Void) async throws {
            server.counts.withLock { $0 = [:] }
            try await body()
            #expect(server.counts.withLock { $0 } == calls)
        }
        let graph = try RecordEncoder().encode(planet)
        try await expect(["commit": Self.pieces(graph.count), "runQuery": 1]) { try await database.save(graph) }
        let counts = Dictionary(grouping: graph.records, by: \.id.type).mapValues(\.count)
        try await expect(["batchGet": counts.values.reduce(0) { $0 + Self.pieces($1) }]) {
            let found = try await database.values.fetch(Planet.self, named: planet.id).value
            #expect(found == planet)
        }
        let country = try #require(planet.regions[0].subregions[0].countries.first)
        try await expect(["runQuery": 1]) {
            let page = try await database.page(
                RecordQuery("Country", where: .compare("iso3", .equal, .string(country.iso3))))
            #expect(page.records.map(\.id.name) == ["\(country.id)"] && page.examinedCount == 1)
        }
        try await expect(["runAggregationQuery": 1]) {
            let found = try await database.count(RecordQuery("City"))
            #expect(found == counts["City"])
        }
    }

    /// The requests for some records.
    private static func pieces(_ count: Int) -> Int { (count + 499) / 500 }
}
