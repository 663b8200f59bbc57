import Foundation
import TestSupport
import Testing

@testable import NestedRecords

/// Records are rewritten in the form that Swift types state.
@Suite struct TypeMigrationTests {
    private struct Pupil: RecordCodable, Identifiable, Equatable {
        struct Address: Codable, Equatable { var homeTown: String }
        var id: String
        var fullName: String
        var isActive: Bool
        var address: Address
        static let recordType = "MigratedPupil"
        static let schema = RecordSchema(
            defaults: ["isActive": true, "address": Address(homeTown: "none")],
            formerNames: ["fullName": ["givenName", "title"]],
            formerRecordTypes: ["MigratedStudent", "MigratedScholar"], version: 3)
    }

    private struct Team: RecordCodable, Identifiable, Equatable {
        var id: String
        var pupils: [Pupil]
        static let recordType = "MigratedTeam"
    }

    private func database(_ fields: [String: Record.Fields]) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        let records = try fields.map { try Record(id: Record.ID($0), fields: $1) }
        try await database.commit(RecordBatch(saving: records))
        return database
    }

    @Test func recordsGetTheirPresentForm() async throws {
        let reference = Record.Value.reference(Record.Reference(to: try Record.ID("MigratedStudent/a")))
        let database = try await database([
            "MigratedStudent/a": ["id": "a", "title": "Ann"],
            "MigratedScholar/b": ["id": "b", "givenName": "Bo", "isActive": false, "$version": 2],
            "MigratedTeam/t": ["id": "t", "pupils": .list([reference])],
        ])
        let report = try await database.values.migrate(Pupil.self, Team.self)
        #expect(report.rewrittenCount == 3 && report.movedCount == 2 && report.failures.isEmpty)
        #expect(try await database.values.fetch(Team.self, named: "t").value.pupils.map(\.fullName) == ["Ann"])
        let expected: Record.Fields = [
            "id": "a", "fullName": "Ann", "isActive": true, "address": .map(["homeTown": "none"]), "$version": 3,
        ]
        #expect(try await database.fetch("MigratedPupil/a").fields == expected)
        // What is migrated is what encoding gives, so that a save changes nothing.
        let graph = try await RecordEncoder().encode(database.values.fetch(Team.self, named: "t").value)
        let difference = try await graph.difference(from: RecordGraph(Self.records(of: database)))
        #expect(difference.added.isEmpty && difference.changed.isEmpty)
        #expect(try await database.values.migrate(Pupil.self, Team.self).rewrittenCount == 0)
    }

    private static func records(of database: some RecordDatabase) async throws -> [Record] {
        var records: [Record] = []
        for try await record in database.records(ofType: nil) { records.append(record) }
        return records
    }

    @Test func formerRecordThatOneOutsideAScopeRefersToStays() async throws {
        let reference = Record.Value.reference(Record.Reference(to: try Record.ID("MigratedStudent/a")))
        let database = try await database([
            "MigratedStudent/a": ["id": "a", "title": "Ann", "tenant": "a"],
            "MigratedTeam/t": ["id": "t", "pupils": .list([reference]), "tenant": "b"],
        ])
        let scope = try database.values.scoped { $0.ruleOfAllTypes(.compare("tenant", .equal, "a")) }
        let error = await #expect(throws: RecordDatabaseError.self) { try await scope.migrate(Pupil.self) }
        #expect(error?.code == .stillReferenced && error?.references.isEmpty == true)
        #expect(try await database.record(for: Record.ID("MigratedStudent/a")) != nil)
        #expect(try await database.danglingReferences().isEmpty)
    }

    @Test func namesFollowTheStrategyOfTheEncoder() async throws {
        let database = try await database([
            "MigratedPupil/a": ["id": "a", "given_name": "Ann"], "MigratedPupil/b": ["id": "b", "givenName": "Bo"],
        ])
        var encoder = RecordEncoder()
        encoder.coding.keyStrategy = .snakeCase
        try await database.values(coding: encoder.coding).migrate(Pupil.self)
        for id in ["a", "b"] {
            let record = try #require(try await database.record(for: Record.ID("MigratedPupil/\(id)")))
            #expect(record["full_name"] != nil && record["is_active"] == true)
            #expect(record["address"] == .map(["home_town": "none"]))
        }
    }

    @Test func partsOfFlattenedValuesStay() async throws {
        struct Box: RecordCodable, Identifiable, Equatable {
            struct Size: Codable, Equatable {
                var width: Int
                // A separator and a mark after it are one character.
                enum CodingKeys: String, CodingKey { case width = "\u{301}w" }
            }
            var id: String
            var size: Size
            static let recordType = "MigratedBox"
            static let schema = RecordSchema(defaults: ["size": Size(width: 1)], formerNames: ["size": ["extent"]])
        }
        let database = try await database(["MigratedBox/a": ["id": "a", "extent_\u{301}w": 7]])
        var decoder = RecordDecoder()
        decoder.coding.embeddingStrategy = .flattened()
        let report = try await database.values(coding: RecordEncoder(decoder.coding).coding).migrate(Box.self)
        #expect(report.rewrittenCount == 0)
        #expect(try await database.values(coding: decoder.coding).fetch(Box.self, named: "a").value.size.width == 7)
    }

    @Test func recordOfANewerVersionPreventsTheMigration() async throws {
        let reference = Record.Value.reference(Record.Reference(to: try Record.ID("MigratedStudent/a")))
        let database = try await database([
            "MigratedStudent/a": ["id": "a", "title": "Ann"],
            "MigratedPupil/new": ["id": "new", "friend": reference, "$version": 4],
        ])
        let report = try await database.values.migrate(Pupil.self)
        #expect(report.failures.map(\.id.description) == ["MigratedPupil/new"] && report.rewrittenCount == 0)
        #expect(try await database.danglingReferences().isEmpty)
        #expect(try await database.record(for: Record.ID("MigratedStudent/a")) != nil)
    }

    @Test func valueThatWasFetchedBeforeItsTypeWasRenamedIsNotSaved() async throws {
        let database = try await database(["MigratedPupil/a": ["id": "a", "fullName": "Ann"]])
        var pupil = try await database.values.fetch(Pupil.self, named: "a")
        var migration = RecordMigration()
        migration.renameType("MigratedPupil", to: "MigratedAlumna")
        try await database.migrate(migration)
        pupil.fullName = "Anna"
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.values.save(&pupil) }
        #expect(error?.code == .unknownRecord && error?.recordID?.description == "MigratedPupil/a")
        #expect(try await database.texts == ["MigratedAlumna/a"])
    }

    @Test func recordOfAFormerTypeIsNotReadBeforeItIsMigrated() async throws {
        let reference = Record.Value.reference(Record.Reference(to: try Record.ID("MigratedStudent/a")))
        let database = try await database([
            "MigratedStudent/a": ["id": "a", "title": "Ann"],
            "MigratedTeam/t": ["id": "t", "pupils": .list([reference])],
        ])
        #expect(try await database.values.fetchIfPresent(Pupil.self, named: "a")?.value == nil)
        #expect(try await database.values.query(Pupil.self).all().map(\.value).isEmpty)
        #expect(try await database.values.query(Pupil.self).all().isEmpty)
        let error = await #expect(throws: RecordError.self) {
            try await database.values.fetch(Team.self, named: "t").value
        }
        #expect(error?.code == .typeMismatch && error?.recordID?.description == "MigratedStudent/a")
        #expect(error?.reason == "it has a former record type: call migrate(Pupil.self)")
        try await database.values.migrate(Pupil.self)
        #expect(try await database.values.fetch(Team.self, named: "t").value.pupils.map(\.fullName) == ["Ann"])
        #expect(try await database.values.fetch(Pupil.self, named: "a").value.fullName == "Ann")
    }

    @Test func schemaThatIsNotValidIsAnError() async throws {
        struct Wrong: RecordCodable, Identifiable {
            var id: String
            static let schema = RecordSchema(version: 0)
        }
        let error = await #expect(throws: RecordError.self) {
            try await InMemoryRecordDatabase().values.migrate(Wrong.self)
        }
        #expect(error?.code == .invalidSchema)
    }
}
