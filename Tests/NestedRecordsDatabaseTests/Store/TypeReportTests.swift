@_spi(Engines) import NestedRecords
import TestSupport
import Testing

/// What a store says of the records and fields that no type of a program reads.
@Suite struct TypeReportTests {
    private struct Site: RecordCodable, Identifiable {
        @RecordName var id: String
        var name: String
        static let recordType = "ReportedSite"
    }

    private struct Person: RecordCodable, Identifiable {
        @RecordName var id: String
        var name: String
        var site: RecordLink<Site>?
        static let recordType = "ReportedPerson"
        static let schema = RecordSchema(
            ignoring: ["site"], formerNames: ["name": ["title"]], formerRecordTypes: ["ReportedPupil"], version: 1)
    }

    private struct Address: Codable {
        var city: String
        var owner: Person?
    }

    private struct Project: RecordCodable, Identifiable {
        @RecordName var id: String
        var addresses: [String: [Address]] = [:]
        var site: RecordLink<Site>?
        var lead: Exhibit?
        static let recordType = "ReportedProject"
    }

    private struct Badge: RecordCodable, Identifiable {
        @RecordName var id: String
        static let recordType = "ReportedBadge"
    }

    private enum Exhibit: RecordUnion {
        case badge(Badge)
        static let recordTypes: [any RecordDecodable.Type] = [Badge.self]

        init?(record: any RecordDecodable) {
            guard let badge = record as? Badge else { return nil }
            self = .badge(badge)
        }

        var record: any RecordEncodable {
            switch self {
            case .badge(let badge): badge
            }
        }
    }

    private static func database(_ records: [String: Record.Fields]) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        try await database.commit(
            RecordBatch(saving: records.map { try Record(id: Record.ID($0.key), fields: $0.value) }))
        return database
    }

    private func report(
        _ records: [String: Record.Fields], _ types: any RecordDecodable.Type, includingFields: Bool = false,
        coding: RecordCoding = RecordCoding()
    ) async throws -> TypeReport {
        let store = RecordStore(try await Self.database(records), coding: coding)
        return try await store.checkTypes(types, includingFields: includingFields)
    }

    @Test func recordsOfARenamedTypeAreReported() async throws {
        let found = try await report(["Task/1": [:], "Task/2": [:], "ReportedSite/a": [:]], Site.self)
        #expect(found.unreadTypes == ["Task": 2] && found.typesWithoutRecords == [] && found.unreadFields == nil)
        #expect(!found.isComplete)
        #expect(
            found.description == """
                No given type reads Task (2 records).
                If a type was renamed, state its former record type in its schema and migrate the records.
                """)
    }

    @Test func formerTypesAreReportedUntilTheyAreMigrated() async throws {
        let store = RecordStore(try await Self.database(["ReportedPupil/ann": ["name": "Ann"]]))
        let before = try await store.checkTypes(Person.self)
        #expect(before.formerTypes == ["ReportedPupil": 1] && before.unreadTypes == [:])
        #expect(
            before.description == """
                ReportedPupil is a former type of ReportedPerson and is not migrated (1 record).
                ReportedPerson has no records.
                """)
        try await store.migrate(Person.self)
        let after = try await store.checkTypes(Person.self)
        #expect(after.isComplete && after.typesWithoutRecords == [] && after.description == "All records are read.")
    }

    @Test func typesInPropertiesLinksAndUnionsCountAsRead() async throws {
        let records: [String: Record.Fields] = [
            "ReportedProject/p": [:], "ReportedPerson/a": [:], "ReportedSite/s": [:], "ReportedBadge/b": [:],
            "ReportedPupil/b": [:], "Other/o": [:],
        ]
        let found = try await report(records, Project.self)
        #expect(found.unreadTypes == ["Other": 1] && found.formerTypes == ["ReportedPupil": 1])
        // Only given types should have records.
        #expect(try await report(["ReportedProject/p": [:]], Project.self).description == "All records are read.")
    }

    @Test func typeThatIsGivenAndAPropertyShouldHaveRecords() async throws {
        let store = RecordStore(try await Self.database(["ReportedProject/p": [:]]))
        for report in [
            try await store.checkTypes(Project.self, Site.self), try await store.checkTypes(Site.self, Project.self),
        ] {
            #expect(report.typesWithoutRecords == ["ReportedSite"] && report.isComplete)
            #expect(report.description == "All records are read.\nReportedSite has no records.")
        }
    }

    @Test func registeredTypesCountAsRead() async throws {
        var coding = RecordCoding()
        coding.register(Badge.self)
        let records: [String: Record.Fields] = ["ReportedSite/s": [:], "ReportedBadge/b": [:]]
        #expect(try await report(records, Site.self, coding: coding).isComplete)
        #expect(try await report(records, Site.self).unreadTypes == ["ReportedBadge": 1])
    }

    @Test func typesOfEnumerationCasesAreNotVisible() async throws {
        enum Holder: Codable { case badge(Badge) }
        struct Drawer: RecordCodable, Identifiable {
            var id: String
            var holder: Holder?
        }
        let records: [String: Record.Fields] = ["Drawer/d": [:], "ReportedBadge/b": [:]]
        #expect(try await report(records, Drawer.self).unreadTypes == ["ReportedBadge": 1])
        let store = RecordStore(try await Self.database(records))
        #expect(try await store.checkTypes(Drawer.self, Badge.self).isComplete)
    }

    @Test func typeThatStatesItsRecordTypeMayReadAnyRecord() async throws {
        struct Anything: DynamicRecordRepresentable, RecordCodable {
            var recordType: String { "Anything" }
            var recordName: String { "a" }
        }
        let found = try await report(["Task/1": [:]], Anything.self)
        #expect(found.isComplete && found.unreadTypes == [:] && found.typesWithoutRecords == [])
        #expect(
            found.description == """
                All records are read.
                A given type states the record type of each value, so it may read any record.
                """)
    }

    // MARK: Fields

    @Test func fieldsThatNoTypeReadsAreReported() async throws {
        let records: [String: Record.Fields] = [
            "ReportedPerson/a": ["name": "A", "$version": 1, "nickname": "a", "site": "s"],
            "ReportedPerson/b": ["title": "B", "nickname": "b"], "ReportedSite/s": ["name": "S"], "Other/o": ["x": 1],
        ]
        let store = RecordStore(try await Self.database(records))
        let found = try await store.checkTypes(Person.self, Site.self, includingFields: true)
        #expect(found.unreadFields == ["ReportedPerson": ["nickname": 2, "site": 1]])
        #expect(
            found.description == """
                No given type reads Other (1 record).
                No given type reads the field 'nickname' of ReportedPerson (2 records).
                No given type reads the field 'site' of ReportedPerson (1 record).
                If a type was renamed, state its former record type in its schema and migrate the records.
                """)
        #expect(!found.isComplete)
        let complete = try await report(["ReportedSite/s": ["name": "S"]], Site.self, includingFields: true)
        #expect(complete.description == "All records and fields are read.")
    }

    @Test func severalTypesOfOneRecordTypeReadTheirFieldsTogether() async throws {
        struct SiteAddress: RecordCodable, Identifiable {
            @RecordName var id: String
            var city: String
            static let recordType = "ReportedSite"
        }
        let store = RecordStore(try await Self.database(["ReportedSite/s": ["name": "S", "city": "C", "zip": "Z"]]))
        let found = try await store.checkTypes(Site.self, SiteAddress.self, includingFields: true)
        #expect(found.unreadFields == ["ReportedSite": ["zip": 1]])
    }

    @Test func fieldsOfSuperclassesAreRead() async throws {
        class Vehicle: RecordCodable, Identifiable {
            var id: String
            var wheels: Int
            class var recordType: String { "ReportedVehicle" }
            init(id: String, wheels: Int) { (self.id, self.wheels) = (id, wheels) }
        }
        final class Truck: Vehicle {
            var load = 0
            override class var recordType: String { "ReportedTruck" }
            enum CodingKeys: CodingKey { case load }

            required init(from decoder: any Decoder) throws {
                load = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .load)
                try super.init(from: decoder)
            }
        }
        let found = try await report(
            ["ReportedTruck/t": ["id": "t", "wheels": 6, "load": 1, "horn": true]], Truck.self, includingFields: true)
        #expect(found.unreadFields == ["ReportedTruck": ["horn": 1]])
    }

    @Test func namesOfFieldsFollowTheStrategies() async throws {
        struct Shop: RecordCodable, Identifiable {
            struct Place: Codable { var zipCode: String }
            var id: String
            var homePlace: Place
            static let recordType = "ReportedShop"
        }
        var coding = RecordCoding()
        coding.keyStrategy = .snakeCase
        coding.embeddingStrategy = .flattened(separator: "_")
        let fields: Record.Fields = ["id": "s", "home_place_zip_code": "Z", "homePlace": "x"]
        let found = try await report(["ReportedShop/s": fields], Shop.self, includingFields: true, coding: coding)
        #expect(found.unreadFields == ["ReportedShop": ["homePlace": 1]])
        coding.keyStrategy = .custom { $0.uppercased() }
        let unknown = try await report(["ReportedShop/s": fields], Shop.self, includingFields: true, coding: coding)
        #expect(unknown.unreadFields == [:])
    }

    @Test func typesThatAcceptAnyKeyOrHaveNoneReadAllFields() async throws {
        struct Open: RecordCodable {
            var values: [String: Int]
            var recordName: String { "o" }
            static let recordType = "ReportedOpen"
            init(from decoder: any Decoder) throws { values = try [String: Int](from: decoder) }
            func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
        }
        let found = try await report(["ReportedOpen/o": ["a": 1, "b": 2]], Open.self, includingFields: true)
        #expect(found.unreadFields == [:])
    }

    // MARK: Databases

    private struct CountedDatabase: ForwardingRecordDatabase, TypeCountingRecordDatabase {
        let base: any RecordDatabase

        func recordCounts() async throws -> [String: Int] { ["ReportedSite": 3, "Task": 2, "NestedRecords.Claim": 1] }

        func storedRecords(ofType type: String?) -> RecordSequence {
            Issue.record("no record is read")
            return base.records(ofType: type)
        }
    }

    @Test func databaseThatCountsIsNotRead() async throws {
        let base = CountedDatabase(base: InMemoryRecordDatabase())
        let databases: [any RecordDatabase] = [
            base, MonitoredRecordDatabase(base) { _ in }, QueuedRecordDatabase(base, maximumRunning: 1),
        ]
        for database in databases {
            #expect(try await RecordStore(database).checkTypes(Site.self).unreadTypes == ["Task": 2])
        }
    }

    @Test func scopeRevealsOnlyWhatItMayRead() async throws {
        let database = try await Self.database([
            "ReportedSite/a": ["name": "A"], "ReportedSite/b": ["name": "B", "x": 1], "Task/1": [:],
        ])
        let store = try RecordStore(database).scoped { $0.rule(Site.self) { $0.name == "A" } }
        let found = try await store.checkTypes(Site.self, includingFields: true)
        #expect(found.description == "All records and fields are read.")
        #expect(try await store.checkTypes(Site.self).isComplete)
    }

    @Test func invalidTypesAreRefused() async throws {
        struct Twice: RecordCodable, Identifiable {
            var id: String
            static let schema = RecordSchema(version: 0)
        }
        struct Box<Content>: RecordCodable, Identifiable { var id: String }
        let store = RecordStore(InMemoryRecordDatabase())
        await #expect {
            try await store.checkTypes(Twice.self)
        } throws: { ($0 as? RecordError)?.code == .invalidSchema }
        await #expect {
            try await store.checkTypes(Box<Int>.self)
        } throws: { ($0 as? RecordError)?.code == .invalidID }
    }
}
