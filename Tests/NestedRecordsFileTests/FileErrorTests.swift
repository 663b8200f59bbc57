import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsFile

@Suite struct FileErrorTests {
    @Test func refusalsOfTheSystemNameOperationAndNumber() {
        let refused = RecordDatabaseError.inputOutput(path: "a", operation: "open", errno: Int(EACCES))
        #expect("\(refused)".hasPrefix("the system could not open the file a: "))
        #expect("\(refused)".hasSuffix(" (error \(EACCES))"))
        #expect(refused.path == "a" && refused.operation == "open" && refused.systemCode == "\(EACCES)")
        #expect(refused.isSystemError(Int(EACCES)) && !refused.isSystemError(Int(EPERM)))
    }

    @Test func damageNamesItsPlace() {
        let damage = RecordDatabaseError(.corrupt, .offset(7), reason: "a block", path: "a")
        #expect("\(damage)" == "the file a is damaged at byte 7: a block")
        #expect(damage.offset == 7 && damage.reason == "a block")
    }

    @Test func moreRecordTypesThanAFileHoldsAreRefused() async throws {
        let folder = try TemporaryFolder()
        var options = FileRecordDatabase.Options()
        options.durability = .relaxed
        let database = try FileRecordDatabase(path: folder.path("types"), options: options)
        func record(_ type: Int) throws -> Record {
            try Record(id: Record.ID(type: "T\(type)", name: "1"), fields: [:])
        }
        try await database.commit(RecordBatch(saving: try (0..<65_536).map(record)))
        let refused = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [try record(65_536)]))
        }
        #expect(refused?.code == .unsupported && refused?.reason == "more than 65,536 record types in a file")
        try await database.commit(RecordBatch(saving: [try record(7)], savePolicy: .overwrite))
        #expect(try await database.records(for: [record(65_535).id, record(65_536).id]).count == 1)
        try await database.close()
    }
}
