#if SQLite
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsSQLite

/// The contents of a container that a reader has joined.
@Suite struct SQLiteAudienceTests: SQLiteSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let view = AudienceView(
        reader: "ann",
        sources: [
            "Project": [.reader(isListed: true)], "Visit": [.container(ofType: "Project", isListed: true)],
        ], needs: [])

    private func visit(_ number: Int, _ text: Record.Value = 1) throws -> Record {
        try Flat.record("Visit/\(number)", ["project": Flat.reference("Project/1"), "text": text])
    }

    /// The names of the records are in another order than their rows, and those of the positions change.
    @Test func joinedContainerIsListedOnceWhileItsRecordsChange() async throws {
        let database = try open()
        try await database.declare(RecordAudience("Project", readers: "members"))
        try await database.declare(RecordAudience("Visit", container: "project", ofType: "Project"))
        var token = AudienceToken(base: try await database.changeToken(of: view))
        let visits = try (0..<60).map { try visit(59 - $0) }
        try await database.commit(RecordBatch(saving: visits))
        try await database.commit(RecordBatch(saving: [try Flat.record("Project/1", ["members": ["ann"]])]))
        var listed: [Record.ID] = []
        var (deleted, changed): (Set<Record.ID>, Set<Record.ID>) = ([], [])
        for round in 0..<100 {
            let page = try await database.changes(of: view, since: token, limit: 7)
            token = page.token
            listed += page.changes.saved.map(\.id)
            if page.changes.isComplete { break }
            guard page.listing?.record != nil, let last = page.changes.saved.last else { continue }
            if round.isMultiple(of: 2) {
                deleted.insert(last.id)
                try await database.delete([last.id])
            } else {
                changed.insert(last.id)
                var new = last
                new["text"] = .int(Int64(round))
                try await database.commit(RecordBatch(saving: [new], savePolicy: .overwrite))
            }
        }
        let counts = Dictionary(grouping: listed, by: \.self).mapValues(\.count)
        #expect(Set(counts.keys) == Set(visits.map(\.id) + [try Record.ID("Project/1")]))
        // A changed one comes again by its change.
        #expect(counts.allSatisfy { id, count in count == (changed.contains(id) ? 2 : 1) }, "\(counts)")
        #expect(!deleted.isEmpty && !changed.isEmpty)
        #expect(try await database.verify().isEmpty)
    }
}
#endif
