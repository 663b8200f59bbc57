package import Foundation
package import NestedRecords

/// A folder that is removed when nobody holds it any more.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("records-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the folder.
    package func path(_ name: String = "test.records") -> String { url.appendingPathComponent(name).path }

    /// The names of all files in the folder, sorted.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}

extension RecordDatabase {
    /// All records by ID.
    package var allRecords: [Record.ID: Record] {
        get async throws {
            var allRecords: [Record.ID: Record] = [:]
            for try await record in records(ofType: nil, including: .system) { allRecords[record.id] = record }
            return allRecords
        }
    }
}
