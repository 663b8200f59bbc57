import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

/// Files of each version, as that version wrote them: a version that is released must be read by all later ones.
@Suite struct KeptFileTests {
    @Test(arguments: ["0.1.0"]) func fileOfAVersionIsRead(_ version: String) async throws {
        let kept = KeptRecords.folder(of: #filePath)
        let expected = try KeptRecords.records(ofLinesAt: "\(kept)/\(version).jsonl")
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: "\(kept)/\(version).records", toPath: folder.path())
        let database = try FileRecordDatabase(path: folder.path())
        #expect(database.recoveredByteCount == 0)
        #expect(expected.count == 3)
        #expect(try await KeptRecords.records(in: database) == expected)
        #expect(try await database.verify().filter { !$0.isDead } == [])
        // What later versions write into it is read too.
        let id = try Record.ID("Book/2")
        _ = try await database.commit(RecordBatch(saving: [Record(id: id, fields: ["title": .string("Lanterns")])]))
        try await database.close()
        let again = try FileRecordDatabase(path: folder.path(), options: .readOnly)
        #expect(try await again.record(for: id)?["title"] == .string("Lanterns"))
        #expect(try await KeptRecords.records(in: again).isSuperset(of: expected))
    }
}
