import Foundation
import NestedRecords
import TestSupport
import Testing

/// Queries of records that earlier forms of their Swift types have stored.
@Suite struct FormerFormQueryTests {
    private enum Old {
        struct Room: RecordCodable, Identifiable {
            var id: String
            var doors: Int
            static let recordType = "QueriedRoom"
        }

        struct House: RecordCodable, Identifiable {
            struct Place: Codable { var streetName: String }

            var id: String
            var title: String
            var where_: Place?
            var main: Room
            static let recordType = "QueriedHouse"
        }
    }

    private struct Room: RecordCodable, Identifiable {
        var id: String
        var doorCount: Int
        static let recordType = "QueriedRoom"
        static let schema = RecordSchema(formerNames: ["doorCount": ["doors"]])
    }

    private struct House: RecordCodable, Identifiable {
        struct Place: Codable { var streetName: String }

        var id: String
        var fullName: String
        var place: Place?
        var entrance: Room
        var floors: Int
        static let recordType = "QueriedHouse"
        static let schema = RecordSchema(
            defaults: ["floors": 2],
            formerNames: ["fullName": ["name", "title"], "place": ["where_"], "entrance": ["main"]])
    }

    private static let filters: [(filter: QueryFilter<House>, isTrue: @Sendable (House) -> Bool)] = [
        (QueryFilter { $0.fullName == "Old 1" }, { $0.fullName == "Old 1" }),
        (QueryFilter { $0.fullName != "Old 1" }, { $0.fullName != "Old 1" }),
        (QueryFilter { !($0.fullName == "Old 1") }, { $0.fullName != "Old 1" }),
        (QueryFilter { $0.fullName.hasPrefix("Old") }, { $0.fullName.hasPrefix("Old") }),
        (QueryFilter { $0.place.streetName == "Lane 0" }, { $0.place?.streetName == "Lane 0" }),
        (QueryFilter { $0.place.streetName != "Lane 0" }, { $0.place?.streetName != "Lane 0" }),
        (QueryFilter { $0.floors == 2 }, { $0.floors == 2 }),
        (QueryFilter { $0.floors > 2 }, { $0.floors > 2 }),
        (QueryFilter { $0.floors < 3 }, { $0.floors < 3 }),
        (QueryFilter { $0.floors.isAny(of: [1, 2]) }, { [1, 2].contains($0.floors) }),
        (QueryFilter { !($0.floors == 2) }, { $0.floors != 2 }),
        (QueryFilter { $0.entrance.doorCount == 1 }, { $0.entrance.doorCount == 1 }),
        (QueryFilter { $0.entrance.doorCount != 1 }, { $0.entrance.doorCount != 1 }),
        (
            QueryFilter { $0.entrance.doorCount >= 1 && $0.floors <= 2 },
            { $0.entrance.doorCount >= 1 && $0.floors <= 2 }
        ),
    ]

    private func makeDatabase(_ encoder: RecordEncoder = RecordEncoder()) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        let old = (0..<3).map { number in
            Old.House(
                id: "old\(number)", title: "Old \(number)",
                where_: number == 2 ? nil : Old.House.Place(streetName: "Lane \(number)"),
                main: Old.Room(id: "old\(number)", doors: number))
        }
        try await database.values(coding: encoder.coding).overwrite(old)
        let new = (0..<3).map { number in
            House(
                id: "new\(number)", fullName: "New \(number)",
                place: number == 2 ? nil : House.Place(streetName: "Lane \(number)"),
                entrance: Room(id: "new\(number)", doorCount: number), floors: number + 1)
        }
        try await database.values(coding: encoder.coding).overwrite(new)
        return database
    }

    @Test(arguments: [false, true], [false, true])
    func recordsOfEarlierFormsAreFound(isSnakeCase: Bool, isFlat: Bool) async throws {
        var (encoder, decoder) = (RecordEncoder(), RecordDecoder())
        if isSnakeCase { encoder.coding.keyStrategy = .snakeCase }
        if isFlat { encoder.coding.embeddingStrategy = .flattened() }
        decoder.coding = encoder.coding
        let database = try await makeDatabase(encoder)
        let all = try await database.values(coding: decoder.coding).query(House.self).all()
        #expect(all.map(\.floors) == [1, 2, 3, 2, 2, 2])
        for (filter, isTrue) in Self.filters {
            let found = try await database.values(coding: decoder.coding).query(House.self).filter { _ in filter }.all()
            #expect(found.map(\.id) == all.map(\.value).filter(isTrue).map(\.id), "\(filter)")
        }
    }

    @Test func orderByAFieldThatARecordLacksIsRefusedUntilItIsMigrated() async throws {
        let database = try await makeDatabase()
        let store = database.values
        let (byName, byFloors) = (
            store.query(House.self).sorted { $0.fullName }, store.query(House.self).sorted { $0.floors }
        )
        for query in [byName, byFloors] {
            for read in [
                { _ = try await query.all() }, { _ = try await query.page() }, { _ = try await query.first() },
                { for try await _ in query.values() {} },
                { for try await page in query.live() { _ = try page.value } },
            ] as [() async throws -> Void] {
                let error = await #expect(throws: RecordError.self) { try await read() }
                #expect(error?.code == .unknownField && error?.reason?.contains("migrate House before") == true)
            }
        }
        let error = await #expect(throws: RecordError.self) { try await store.query(House.self).max { $0.fullName } }
        #expect(error?.code == .unknownField)
        await #expect(throws: RecordError.self) { try await store.query(House.self).grouped { $0.floors }.count() }
        // The records that the filter leaves out do not matter.
        #expect(try await byName.filter { $0.recordName == "none" }.all().isEmpty)
        try await store.migrate(House.self, Room.self)
        let names = try await byName.all().map(\.fullName)
        #expect(names == ["New 0", "New 1", "New 2", "Old 0", "Old 1", "Old 2"])
        #expect(try await store.query(House.self).max { $0.fullName } == "Old 2")
        #expect(try await byFloors.all().map(\.floors) == [1, 2, 2, 2, 2, 3])
    }

    @Test func defaultOfAReferenceIsRefused() async throws {
        struct Owner: RecordCodable, Identifiable {
            var id: Int
            var room: Room?
            static let schema = RecordSchema(defaults: ["room": Room?.none])
        }
        let error = await #expect(throws: RecordError.self) {
            try await InMemoryRecordDatabase().values.query(Owner.self).filter { $0.room.doorCount == 1 }.all()
        }
        #expect(error?.reason?.contains("'room' has a default value, and is a reference") == true)
    }
}
