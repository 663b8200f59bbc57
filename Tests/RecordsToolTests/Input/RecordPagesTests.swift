import NestedRecords
import Testing

@testable import records

@Suite struct RecordPagesTests {
    @Test func pageFitsIntoTheDatabaseThatItIsSavedIn() async throws {
        var limits = RecordDatabaseLimits(batchCount: 4)
        limits.batchBytes = 100
        limits.recordSize = { Int($0.id.name) ?? 0 }
        let sizes = [30, 70, 1, 200, 99, 2, 3, 4, 5, 6]
        let records = try sizes.map { try Record(id: Record.ID(type: "A", name: "\($0)")) }
        var pages = RecordPages(of: RecordSequence(records), for: limits, progress: nil)
        var found: [[Int]] = []
        while let page = try await pages.next() { found.append(page.compactMap { Int($0.id.name) }) }
        #expect(found == [[30, 70], [1], [200], [99], [2, 3, 4, 5], [6]])
    }
}
