#if SQLite
import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsSQLite

@Suite struct SQLiteAssetTests {
    /// Its chunks go in several transactions, so that other writers need not wait for all of them.
    @Test(arguments: [0, 1, 63, 64, 65, 130]) func nothingIsLeftOfARemovedUpload(_ count: Int) async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteRecordDatabase(path: folder.path("test.sqlite"))
        let chunks = SQLiteAssetChunks(database: database)
        let chunk = Data(repeating: 7, count: AssetContent.chunkSize)
        for upload in ["removed", "kept"] { try await chunks.begin(upload) }
        for position in 0..<count {
            let offset = Int64(position * AssetContent.chunkSize)
            #expect(try await chunks.write(chunk, to: "removed", at: offset))
        }
        #expect(try await chunks.write(Data([1]), to: "kept", at: 0))
        try await chunks.remove("removed")
        try await chunks.remove("removed")
        #expect(try await chunks.uploads() == ["kept"])
        let left = try await database.read { connection in
            try connection.first("SELECT count(*) FROM asset_chunks") { $0.int(0) }
        }
        #expect(left == 1)
        #expect(try await chunks.read("kept", at: 0, count: 5) == Data([1]))
        #expect(try await !chunks.write(chunk, to: "removed", at: 0))
    }
}
#endif
