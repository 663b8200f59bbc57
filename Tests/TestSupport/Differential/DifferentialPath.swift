import Foundation
@_spi(Engines) package import NestedRecords
import NestedRecordsFile

/// A way that records take between the encoder and the decoder.
package enum DifferentialPath: Sendable {
    /// Records become something else and records again.
    case form(String, @Sendable (RecordGraph) throws -> RecordGraph)

    /// Records are saved, and the decoder fetches them. The values of one type may share a database.
    case database(String, @Sendable (_ type: String) async throws -> any RecordDatabase)

    var name: String {
        switch self {
        case .form(let name, _), .database(let name, _): name
        }
    }

    /// Nothing happens to the records.
    package static let graph = DifferentialPath.form("graph") { $0 }

    package static let lines = DifferentialPath.form("lines") { graph in
        var writer = RecordLineWriter()
        for record in graph { try writer.write(record) }
        var reader = RecordLineReader(writer.takeBytes())
        var records: [Record] = []
        while let record = try reader.next() { records.append(record) }
        return try RecordGraph(records, roots: graph.roots)
    }

    package static let typedJSON = DifferentialPath.form("typed JSON") { graph in
        let json = try JSONEncoder().encode(Array(graph))
        return try RecordGraph(try JSONDecoder().decode([Record].self, from: json), roots: graph.roots)
    }

    package static let binary = DifferentialPath.form("binary form") { graph in
        var writer = RecordWriter()
        var reader = RecordReader()
        let records = try graph.map { try reader.record(from: writer.bytes(of: $0)) }
        return try RecordGraph(records, roots: graph.roots)
    }

    package static let memory = DifferentialPath.database("memory") { _ in InMemoryRecordDatabase() }

    /// A file for each type, since their records have the same IDs.
    package static func file() throws -> DifferentialPath {
        let files = try DifferentialFiles()
        return .database("file") { try await files.database(for: $0) }
    }
}

private actor DifferentialFiles {
    private let folder: TemporaryFolder
    private var databases: [String: FileRecordDatabase] = [:]

    init() throws { folder = try TemporaryFolder() }

    func database(for type: String) throws -> FileRecordDatabase {
        if let database = databases[type] { return database }
        var options = FileRecordDatabase.Options()
        options.durability = .relaxed
        let database = try FileRecordDatabase(path: folder.path("\(databases.count)"), options: options)
        databases[type] = database
        return database
    }
}

/// Names and layout of fields that the records are written with.
struct DifferentialStrategy: Sendable {
    let name: String
    var keys = KeyStrategy.unchanged
    var embedding = EmbeddingStrategy.map

    static let plain = DifferentialStrategy(name: "unchanged, map")
    static let others = [
        DifferentialStrategy(name: "snakeCase, map", keys: .snakeCase),
        DifferentialStrategy(
            name: "custom, map", keys: .custom({ "_" + $0 }, propertyName: { String($0.dropFirst()) })),
        DifferentialStrategy(name: "unchanged, flattened", embedding: .flattened()),
        DifferentialStrategy(name: "unchanged, flattened without a separator", embedding: .flattened(separator: "")),
        DifferentialStrategy(name: "snakeCase, flattened", keys: .snakeCase, embedding: .flattened(separator: "__")),
    ]

    var coders: (RecordEncoder, RecordDecoder) { TestSupport.coders(embedding, keys: keys) }
}
