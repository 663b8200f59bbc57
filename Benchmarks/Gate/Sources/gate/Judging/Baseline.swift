import Foundation

/// The last accepted figures, by kind and name.
struct Baseline {
    private var values: [String: [String: Double]]

    /// The file beside the package's manifest, committed with the changes that affect it.
    private static var url: URL {
        var folder = URL(filePath: #filePath)
        // Sources/gate/Judging/Baseline.swift
        for _ in 1...4 { folder.deleteLastPathComponent() }
        return folder.appending(path: "baseline.json")
    }

    /// Reads the file; empty without a file.
    init() throws {
        guard FileManager.default.fileExists(atPath: Self.url.path) else {
            values = [:]
            return
        }
        values = try JSONDecoder().decode([String: [String: Double]].self, from: Data(contentsOf: Self.url))
    }

    /// Accepts new figures.
    init(_ figures: [Figure]) {
        values = [:]
        for figure in figures {
            values[figure.kind.rawValue, default: [:]][figure.name] = figure.value?.rounded(for: figure.kind)
        }
    }

    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(values) + Data("\n".utf8)).write(to: Self.url)
    }

    subscript(kind: Figure.Kind, name: String) -> Double? { values[kind.rawValue]?[name] }

    /// The names that the baseline has and the figures do not have.
    func names(missingIn figures: [Figure]) -> [String] {
        values.flatMap { kind, values in
            values.keys.filter { name in !figures.contains { $0.kind.rawValue == kind && $0.name == name } }
                .map { "\($0), \(kind)" }
        }.sorted()
    }
}
