import Foundation
import NestedRecordsFirestore
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords

struct RandomQueryTests {
    @Test func pageIsThatOfADatabaseInMemory() async throws {
        for seed in Sweep.seeds(8, whole: 500) {
            var random = RandomQuery(seed: seed)
            let records = try random.records().map { record in
                var record = record
                // What a server sets differs.
                for (name, value) in record.fields
                where value.contains(where: { inner, _ in inner == .serverTimestamp }) { record[name] = nil }
                return record
            }
            let memory = InMemoryRecordDatabase()
            let firestore = try database(StandInServer())
            try await memory.commit(RecordBatch(saving: records))
            try await firestore.commit(RecordBatch(saving: records))
            for _ in 0..<30 {
                let query = try random.anyPageQuery()
                if query.names([.modificationDate, .creationDate, .changeTag]) { continue }
                let expected = try await memory.page(query)
                let page = try await firestore.page(query)
                #expect(page.records.map(\.id) == expected.records.map(\.id), "seed \(seed): \(query)")
                #expect(try await firestore.count(query) == memory.count(query), "seed \(seed): \(query)")
            }
            for field: FieldPath in ["a", "b", "a.a", "c.latitude"] {
                func summaries(_ database: some RecordDatabase) async throws -> String {
                    do {
                        return "\(try await database.summaries(of: RecordQuery("Book"), field: field, groupedBy: nil))"
                    } catch let error as RecordError {
                        return "\(error.code)"
                    }
                }
                #expect(try await summaries(firestore) == summaries(memory), "seed \(seed): \(field)")
            }
        }
    }

    @Test func fieldIsFoundByAnotherSpellingOfItsName() async throws {
        let firestore = try database(StandInServer())
        let id = try Record.ID(type: "Book", name: "1")
        try await firestore.commit(RecordBatch(saving: [try Record(id: id, fields: ["e\u{301}": "x"])]))
        let page = try await firestore.page(RecordQuery("Book", where: .compare("\u{E9}", .equal, "x")))
        #expect(page.records.map(\.id) == [id])
    }
}
