import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import records

/// Real data, kept beside the package and not in it.
private enum WorldFile: String {
    case whole = "world.json"
    case small = "world-small.json"

    var url: URL {
        var package = URL(filePath: #filePath)
        // Tests/RecordsToolTests/Nesting/WorldTests.swift
        for _ in 1...4 { package.deleteLastPathComponent() }
        return package.deletingLastPathComponent().appending(path: "shared/data").appending(path: rawValue)
    }
}

extension Trait where Self == ConditionTrait {
    fileprivate static func needs(_ file: WorldFile) -> Self {
        .enabled(
            if: FileManager.default.isReadableFile(atPath: file.url.path),
            "the data set ../shared/data/\(file.rawValue) is not there")
    }
}

@Suite struct WorldTests {
    @Test(.needs(.whole)) func wholeWorldComesBack() async throws {
        try await expectBack(.whole, records: 63_804)
    }

    @Test(.needs(.small)) func smallWorldComesBack() async throws {
        try await expectBack(.small, records: nil)
    }

    private func expectBack(_ file: WorldFile, records: Int?) async throws {
        let document = try JSONDocument(Data(contentsOf: file.url))
        var flattening = Flattening(rootType: "Planet")
        flattening.types = [
            "regions": "Region", "subregions": "Subregion", "countries": "Country", "states": "State", "cities": "City",
        ]
        flattening.locationKeys = ["location"]
        let graph = try flattening.records(of: document)
        if let records { #expect(graph.count == records) }
        #expect(Set(graph.map(\.id.type)) == ["Planet", "Region", "Subregion", "Country", "State", "City"])
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        let nested = try await Nesting().document(try #require(graph.roots.first), in: database)
        var bytes = Data()
        try nested.write(.pretty) { bytes.append(contentsOf: $0) }
        #expect(try JSONDocument(bytes).root == document.root)
    }
}
