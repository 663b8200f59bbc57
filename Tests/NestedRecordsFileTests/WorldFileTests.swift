import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

@Suite struct WorldFileTests {
    @Test(arguments: [Planet.invented, .generated]) func worldComesBackFromAFile(_ planet: Planet) async throws {
        try await expectBackFromFile(planet)
    }

    @Test(.enabled(if: WorldFile.url != nil, "NESTED_RECORDS_WORLD has the path of a large world"))
    func largeWorldComesBackFromAFile() async throws {
        try await expectBackFromFile(WorldFile.planet())
    }

    private func expectBackFromFile(_ planet: Planet) async throws {
        let folder = try TemporaryFolder()
        let graph = try RecordEncoder().encode(planet)
        let database = try FileRecordDatabase(path: folder.path())
        try await database.save(graph)
        try await database.close()
        let again = try FileRecordDatabase(path: folder.path())
        #expect(try await again.statistics().recordCount == graph.count)
        #expect(try await again.values.fetch(Planet.self, named: planet.id).value == planet)
        #expect(try await again.verify() == [])
    }
}
