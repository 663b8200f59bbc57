import Foundation
import Testing

/// A file of real data, kept beside the package and not in it.
enum WorldFile: String {
    case world = "world.json"
    case small = "world-small.json"

    var url: URL {
        var package = URL(filePath: #filePath)
        // Tests/NestedRecordsTests/World/WorldFile.swift
        for _ in 1...4 { package.deleteLastPathComponent() }
        let shared = package.deletingLastPathComponent().appending(path: "shared/data")
        return shared.appending(path: rawValue)
    }

    var isPresent: Bool { FileManager.default.isReadableFile(atPath: url.path) }

    func planet() throws -> Planet {
        try JSONDecoder().decode(Planet.self, from: Data(contentsOf: url))
    }
}

extension Trait where Self == ConditionTrait {
    static func needs(_ file: WorldFile) -> Self {
        .enabled(if: file.isPresent, "the data set ../shared/data/\(file.rawValue) is not there")
    }
}
