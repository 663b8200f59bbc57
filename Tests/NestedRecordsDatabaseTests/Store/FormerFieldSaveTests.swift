import Foundation
import NestedRecords
import TestSupport
import Testing

/// Two forms of one type in two programs that share a database.
@Suite struct FormerFieldSaveTests {
    private enum Old {
        struct Person: RecordCodable, Identifiable, Equatable {
            var id: String
            var title: String
            var age: Int
            static let recordType = "SharedPerson"
        }
    }

    private enum New {
        struct Person: RecordCodable, Identifiable, Equatable {
            struct Address: Codable, Equatable {
                var city: String
                var zip: String
                // A separator and a mark after it are one character.
                enum CodingKeys: String, CodingKey { case city, zip = "\u{301}zip" }
            }
            var id: String
            var name: String?
            var age: Int
            var email: String?
            var isActive: Bool
            var address: Address?
            static let recordType = "SharedPerson"
            static let schema = RecordSchema(
                defaults: ["isActive": true], formerNames: ["name": ["title", "label"], "address": ["home"]])
        }

        /// The same with a version.
        struct Versioned: RecordCodable, Identifiable {
            var id: String
            var name: String
            static let recordType = "SharedPerson"
            static let schema = RecordSchema(formerNames: ["name": ["title"]], version: 2)
        }
    }

    private func database(_ fields: Record.Fields) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        try await database.commit(
            RecordBatch(saving: [Record(id: try Record.ID("SharedPerson/a"), fields: fields)]))
        return database
    }

    private func fields(_ database: some RecordDatabase) async throws -> Record.Fields {
        try #require(try await database.record(for: Record.ID("SharedPerson/a"))).fields
    }

    @Test func olderProgramKeepsWhatANewerOneHasStored() async throws {
        let database = try await database(["id": "a", "title": "Ann", "age": 7, "email": "a@b", "isActive": false])
        var old = try await database.values.fetch(Old.Person.self, named: "a")
        old.age = 8
        try await database.values.save(&old)
        try await database.values.update(Old.Person.self, named: "a") { $0.title = "Anna" }
        let new = try await database.values.fetch(New.Person.self, named: "a").value
        #expect(new == New.Person(id: "a", name: "Anna", age: 8, email: "a@b", isActive: false))
    }

    @Test func saveMovesAFieldToItsPresentName() async throws {
        let database = try await database(["id": "a", "title": "Ann", "age": 7, "other": "kept"])
        var person = try await database.values.fetch(New.Person.self, named: "a")
        person.name = "Anna"
        try await database.values.save(&person)
        #expect(try await fields(database) == ["id": "a", "name": "Anna", "age": 7, "other": "kept"])
    }

    @Test func propertyThatBecomesNilLeavesNoFormerField() async throws {
        let database = try await database(["id": "a", "title": "Ann", "age": 7])
        var person = try await database.values.fetch(New.Person.self, named: "a")
        person.name = nil
        try await database.values.save(&person)
        #expect(try await fields(database) == ["id": "a", "age": 7])
        #expect(try await database.values.fetch(New.Person.self, named: "a").value.name == nil)
    }

    @Test func propertyThatBecomesNilIsNotReadFromAFormerFieldBesideIt() async throws {
        for isChange in [false, true] {
            let database = try await database(["id": "a", "name": "Ann", "title": "Old", "age": 7])
            if isChange {
                try await database.values.change(New.Person.self, named: "a") { $0.name.set(nil) }
            } else {
                try await database.values.update(New.Person.self, named: "a") { $0.name = nil }
            }
            #expect(try await database.values.fetch(New.Person.self, named: "a").value.name == nil)
            #expect(try await fields(database)["title"] == "Old")
            #expect(try await database.values.query(New.Person.self).filter { $0.name == nil }.all().map(\.id) == ["a"])
            // It can be set again, and another change leaves it alone.
            try await database.values.update(New.Person.self, named: "a") { $0.age = 8 }
            #expect(try await database.values.fetch(New.Person.self, named: "a").value.name == nil)
            try await database.values.update(New.Person.self, named: "a") { $0.name = "Anna" }
            #expect(try await database.values.fetch(New.Person.self, named: "a").value.name == "Anna")
        }
    }

    @Test func changeOfAnotherFieldMovesTheFormerOneToo() async throws {
        let database = try await database(["id": "a", "label": "Ann", "age": 7])
        try await database.values.update(New.Person.self, named: "a") { $0.age = 8 }
        #expect(try await fields(database) == ["id": "a", "name": "Ann", "age": 8])
    }

    @Test func unchangedValueIsNotSaved() async throws {
        let database = CountingDatabase(try await database(["id": "a", "title": "Ann", "age": 7]))
        var person = try await database.values.fetch(New.Person.self, named: "a")
        try await database.values.save(&person)
        #expect(database.modifications.isEmpty)
    }

    @Test func formerFieldThatIsThereBesideThePresentOneStays() async throws {
        let database = try await database(["id": "a", "title": "old", "name": "Ann", "age": 7])
        try await database.values.update(New.Person.self, named: "a") { $0.age = 8 }
        #expect(try await fields(database) == ["id": "a", "title": "old", "name": "Ann", "age": 8])
    }

    @Test func unknownMembersOfAnEmbeddedValueStay() async throws {
        let home: Record.Value = .map(["city": "X", "\u{301}zip": "1", "floor": 3])
        let database = try await database(["id": "a", "title": "Ann", "age": 7, "home": home])
        try await database.values.update(New.Person.self, named: "a") { $0.address?.city = "Y" }
        #expect(try await fields(database)["address"] == .map(["city": "Y", "\u{301}zip": "1", "floor": 3]))
        #expect(try await fields(database)["home"] == nil)
    }

    @Test func flattenedValueIsMovedAsAWhole() async throws {
        var decoder = RecordDecoder()
        decoder.coding.embeddingStrategy = .flattened()
        let database = try await database([
            "id": "a", "title": "Ann", "age": 7, "home_city": "X", "home_\u{301}zip": "1", "home_alone": true,
        ])
        var person = try await database.values(coding: decoder.coding).fetch(New.Person.self, named: "a")
        person.address?.city = "Y"
        try await database.values.save(&person)
        #expect(
            try await fields(database) == [
                "id": "a", "name": "Ann", "age": 7, "address_city": "Y", "address_\u{301}zip": "1", "home_alone": true,
            ])
    }

    @Test func fieldsOfAnotherNameAreMergedUnderTheirPresentName() async throws {
        let database = try await database(["id": "a", "title": "Ann", "age": 7])
        var person = try await database.values.fetch(New.Person.self, named: "a")
        person.name = "Anna"
        try await database.values.update(Old.Person.self, named: "a") { $0.age = 8 }
        try await database.values.save(&person, merging: { try $0.merged() })
        #expect(try await fields(database) == ["id": "a", "name": "Anna", "age": 8])

        let contested = try await self.database(["id": "a", "title": "Ann", "age": 7])
        var other = try await contested.values.fetch(New.Person.self, named: "a")
        other.name = "Anna"
        try await contested.values.update(Old.Person.self, named: "a") { $0.title = "Annika" }
        let error = await #expect(throws: RecordError.self) {
            try await contested.values.save(&other, merging: { try $0.merged() })
        }
        #expect(error?.code == .contestedField && error?.field == "name")
    }

    @Test func versionIsWrittenWithAChange() async throws {
        let database = try await database(["id": "a", "title": "Ann", "$version": 1])
        try await database.values.update(New.Versioned.self, named: "a") { _ in }
        #expect(try await fields(database)["$version"] == 1)
        try await database.values.update(New.Versioned.self, named: "a") { $0.name = "Anna" }
        #expect(try await fields(database) == ["id": "a", "name": "Anna", "$version": 2])
    }

    @Test func recordOfANewerVersionIsNotUpdated() async throws {
        let database = try await database(["id": "a", "title": "Ann", "$version": 3])
        let error = await #expect(throws: RecordError.self) {
            try await database.values.update(New.Versioned.self, named: "a") { $0.name = "x" }
        }
        #expect(error?.code == .newerVersion)
        #expect(try await fields(database) == ["id": "a", "title": "Ann", "$version": 3])
    }
}
