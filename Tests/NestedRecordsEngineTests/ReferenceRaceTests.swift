import Foundation
import NestedRecords
import TestSupport
import Testing

/// Deletions beside tasks that save references to the deleted record, on all databases.
@Suite(.timeLimit(.minutes(60))) struct ReferenceRaceTests {
    private struct Target: RecordCodable, Identifiable {
        var id: Int
        static let recordType = "RaceTarget"
    }

    private struct Renamed: RecordCodable, Identifiable {
        var id: Int
        static let recordType = "RaceRenamed"
        static let schema = RecordSchema(formerRecordTypes: ["RaceFormer"])
    }

    struct Deletion: Sendable, CustomTestStringConvertible {
        let options: DeletionOptions
        var isScoped = false
        var isInTransaction = false
        var action = Record.Reference.Action.none

        var testDescription: String {
            "options \(options.rawValue)" + (isScoped ? ", in a scope" : "")
                + (isInTransaction ? ", in a transaction" : "")
        }
    }

    private static let deletions = [
        Deletion(options: []), Deletion(options: .clearing), Deletion(options: .cascading, action: .deleteSelf),
        Deletion(options: [.cascading, .dangling], action: .deleteSelf), Deletion(options: [], isScoped: true),
        Deletion(options: .dangling, isScoped: true, action: .deleteSelf),
        Deletion(options: [], isInTransaction: true),
    ]

    /// A reference that is saved while its target exists is seen by a deletion: the target stays, or the reference goes.
    @Test(arguments: deletions) func noSavedReferenceIsOverlooked(_ deletion: Deletion) async throws {
        try await Engine.forEach { engine in
            let database = engine.database
            // So that a pass over all records takes some time.
            let fillers = try (0..<Sweep.count(500, whole: 2_000)).map {
                try Record(id: Record.ID("Filler/\($0)"), fields: [:])
            }
            try await database.commit(RecordBatch(saving: fillers))
            for round in 0..<Sweep.count(12, whole: 60) {
                let target = try Record(id: Record.ID("RaceTarget/\(round)"), fields: ["id": .int(Int64(round))])
                try await database.commit(RecordBatch(saving: [target]))
                async let isDeleted = Self.delete(target.id, deletion, in: database)
                let first: [Record.ID] = try await withThrowingTaskGroup(of: Record.ID?.self) { group in
                    for adder in 0..<4 {
                        group.addTask {
                            try await Task.sleep(for: .microseconds(Int.random(in: 0...4_000)))
                            let reference = Record.Reference(to: target.id, action: deletion.action)
                            let holder = try Record(
                                id: Record.ID("Holder/\(round)-\(adder)"), fields: ["target": .reference(reference)])
                            try await database.commit(RecordBatch(saving: [holder]))
                            return try await database.record(for: target.id) == nil ? nil : holder.id
                        }
                    }
                    return try await group.reduce(into: [Record.ID]()) { if let id = $1 { $0.append(id) } }
                }
                guard try await isDeleted else {
                    #expect(try await database.record(for: target.id) != nil, "\(engine.name)")
                    continue
                }
                let holders = try await database.records(for: first).filter { !$0.references.isEmpty }
                #expect(holders.map(\.id) == [], "\(engine.name): \(holders.count) references were overlooked")
            }
        }
    }

    /// A reference to a former ID that is saved while a migration runs is changed like the others.
    @Test func migrationOverlooksNoSavedReference() async throws {
        try await Engine.forEach { engine in
            let database = engine.database
            for round in 0..<Sweep.count(12, whole: 60) {
                let former = try Record(id: Record.ID("RaceFormer/\(round)"), fields: ["id": .int(Int64(round))])
                try await database.commit(RecordBatch(saving: [former]))
                async let report = database.values.migrate(Renamed.self)
                let first: [Record.ID] = try await withThrowingTaskGroup(of: Record.ID?.self) { group in
                    for adder in 0..<4 {
                        group.addTask {
                            try await Task.sleep(for: .microseconds(Int.random(in: 0...4_000)))
                            let holder = try Record(
                                id: Record.ID("Holder/\(round)-\(adder)"),
                                fields: ["target": .reference(Record.Reference(to: former.id))])
                            try await database.commit(RecordBatch(saving: [holder]))
                            return try await database.record(for: former.id) == nil ? nil : holder.id
                        }
                    }
                    return try await group.reduce(into: [Record.ID]()) { if let id = $1 { $0.append(id) } }
                }
                #expect(try await report.movedCount == 1, "\(engine.name)")
                let targets = try await database.records(for: first).flatMap(\.references).map(\.id.type)
                #expect(targets.allSatisfy { $0 == "RaceRenamed" }, "\(engine.name): \(targets)")
            }
        }
    }

    private static func delete(
        _ id: Record.ID, _ deletion: Deletion, in database: any RecordDatabase & RecordFeed
    ) async throws -> Bool {
        try await Task.sleep(for: .microseconds(Int.random(in: 0...3_000)))
        var store = database.values
        if deletion.isScoped { store = try store.scoped { $0.rule(Target.self) { $0.id >= 0 } } }
        do {
            if deletion.isInTransaction {
                return try await !store.transaction {
                    try await $0.delete(Target.self, named: id.name, deletion.options)
                }.isEmpty
            }
            return try await !store.delete(Target.self, named: id.name, deletion.options).isEmpty
        } catch let error as RecordDatabaseError
            where [.stillReferenced, .conflict, .versionMismatch].contains(error.code)
        {
            return false
        }
    }
}
