import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct GraphFromRecordsTests {
    private func makeRecords() throws -> [Record] {
        [
            try Flat.record("Root/1", ["list": Flat.references(["Leaf/1", "Leaf/2"])]),
            try Flat.record("Root/2", ["map": .map(["k": .list([Flat.reference("Leaf/2")])])]),
            try Flat.record("Leaf/1"),
            try Flat.record("Leaf/2", ["self": Flat.reference("Leaf/2")]),
            try Flat.record("Leaf/3", ["gone": Flat.reference("Leaf/9"), "self": Flat.reference("Leaf/3")]),
        ]
    }

    @Test(arguments: 0..<10) func recordsThatNoOtherPointsToAreTheDefaultRoots(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let graph = try RecordGraph(makeRecords().shuffled(using: &generator))
        #expect(Set(graph.roots.map(\.description)) == ["Root/1", "Root/2", "Leaf/3"])
        #expect(graph.count == 5)
    }

    @Test func rootsKeepTheOrderGiven() throws {
        let roots = [try Record.ID("Root/2"), try Record.ID("Leaf/1"), try Record.ID("Root/1")]
        #expect(try RecordGraph(makeRecords(), roots: roots).roots == roots)
    }

    @Test func unknownRootIsRefused() throws {
        let roots = [try Record.ID("Root/1"), try Record.ID("Root/3")]
        let error = #expect(throws: RecordError.self) { try RecordGraph(makeRecords(), roots: roots) }
        #expect(error?.code == .recordNotFound)
        #expect(error?.recordID?.description == "Root/3")
    }

    @Test func equalDuplicatesAreOneRecord() throws {
        let records = try makeRecords()
        #expect(try RecordGraph(records + records.reversed()) == RecordGraph(records))
    }

    @Test func differentDuplicatesAreRefusedWithTheField() throws {
        let records = [
            try Flat.record("Leaf/1", ["a": .int(1), "b": .int(1)]),
            try Flat.record("Leaf/1", ["b": .int(2), "a": .int(1)]),
        ]
        try expectConflict(records, field: "b")
    }

    @Test func duplicatesOfDifferentVersionsAreRefused() throws {
        let records = [0, 1].map { number in
            try? Record(
                id: Record.ID("Leaf/1"),
                metadata: Record.Metadata(
                    changeTag: "\(number)", creationDate: .distantPast, modificationDate: .distantPast))
        }
        try expectConflict(records.compactMap { $0 }, field: "metadata")
    }

    private func expectConflict(_ records: [Record], field expected: String) throws {
        let error = #expect(throws: RecordError.self) { try RecordGraph(records) }
        #expect(error?.code == .conflict)
        #expect(error?.recordID?.description == "Leaf/1")
        #expect(error?.field == expected)
    }

    @Test func graphOfNothingIsEmpty() throws {
        let graph = try RecordGraph([])
        #expect(graph.isEmpty)
        #expect(graph.roots.isEmpty)
    }

    @Test func decodingNeedsOneRoot() throws {
        struct Leaf: RecordDecodable, Identifiable { var id: String }
        let graph = try RecordGraph(makeRecords())
        let error = #expect(throws: DecodingError.self) { try RecordDecoder().decode(Leaf.self, from: graph) }
        #expect(CodingFailure(error) == CodingFailure(.dataCorrupted, "", ""))
    }

    @Test func longChainsAreOrderedWithoutRecursion() throws {
        let count = Sweep.count(10_000, whole: 100_000)
        let records = try (0..<count).map { number in
            try Flat.record("N/\(number)", number + 1 < count ? ["next": Flat.reference("N/\(number + 1)")] : [:])
        }
        let graph = try RecordGraph(records)
        #expect(graph.first?.id.name == "\(count - 1)")
        #expect(graph.last?.id.name == "0")
    }
}
