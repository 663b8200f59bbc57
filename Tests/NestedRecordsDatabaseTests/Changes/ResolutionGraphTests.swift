import TestSupport
import Testing

@testable import NestedRecords

@Suite struct ResolutionGraphTests {
    @Test func graphHoldsWhatWasFetchedWithItsMetadata() async throws {
        let (database, graph) = try await InMemoryRecordDatabase.holding(School.sample())
        try await database.values.overwrite(Pupil(id: "unrelated"))
        let resolution = try await RecordDecoder().resolve(School.self, from: graph.roots[0], in: database)
        #expect(resolution.graph == graph)
        #expect(resolution.graph.allSatisfy { $0.metadata != nil })
        #expect(resolution.graph.last?.id == graph.roots[0] && resolution.value == School.sample())
    }

    @Test func rootsAreTheDecodedRecordsInTheirOrder() async throws {
        let (database, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let ids = try [Record.ID("Pupil/bo"), Record.ID("Pupil/ann"), Record.ID("Pupil/bo")]
        let resolution = try await RecordDecoder().resolve(Pupil.self, from: ids, in: database)
        #expect(resolution.graph.roots == ids && resolution.graph.count == 2)
    }

    @Test func graphOfAGraphIsThatGraphWithTheDecodedRecordAsRoot() throws {
        let graph = try RecordEncoder().encode(School.sample())
        #expect(try RecordDecoder().resolve(School.self, from: graph).graph == graph)
        let id = try Record.ID("Pupil/ann")
        let resolution = try RecordDecoder().resolve(Pupil.self, from: graph, root: id)
        #expect(resolution.graph.roots == [id] && resolution.graph.difference(from: graph).isEmpty)
    }

    @Test func valueIsDecodedFromTheGraphAgain() async throws {
        let chain = Station(1, next: Station(2, next: Station(3)))
        let (database, _) = try await InMemoryRecordDatabase.holding(chain, batchLimit: 7)
        let resolution = try await RecordDecoder().resolve(Station.self, from: Record.ID("Station/1"), in: database)
        let again = try RecordDecoder().decode(Station.self, from: resolution.graph)
        #expect(again.next?.next?.name == "Station 3")
        #expect(try RecordEncoder().encode(again).difference(from: resolution.graph).isEmpty)
    }
}
