import Foundation
import NestedRecords
import TestSupport
import Testing

/// The record types that a program does not read, in every engine.
@Suite struct EngineTypeReportTests {
    private struct Site: RecordCodable, Identifiable {
        var id: String
        static let recordType = "EngineSite"
        static let schema = RecordSchema(unique: ["id"])
    }

    @Test func unreadTypesAreFoundInEveryEngine() async throws {
        try await Engine.forEach { engine in
            let store = RecordStore(engine.database)
            let empty = try await store.checkTypes(Site.self)
            #expect(empty.isComplete && empty.typesWithoutRecords == ["EngineSite"], "\(engine.name)")
            try await store.insert([Site(id: "a"), Site(id: "b")])
            let other = try ["Task/1", "Task/2", "Old/1"].map { try Record(id: Record.ID($0), fields: ["x": 1]) }
            try await store.database.commit(RecordBatch(saving: other))
            try await store.database.commit(
                RecordBatch(deletingAnyVersionOf: [Record.ID("Old/1")], savePolicy: .overwrite))
            for includesFields in [false, true] {
                let report = try await store.checkTypes(Site.self, includingFields: includesFields)
                #expect(report.unreadTypes == ["Task": 2], "\(engine.name)")
                #expect(report.unreadFields == (includesFields ? [:] : nil), "\(engine.name)")
            }
        }
    }
}
