import NestedRecords
import TestSupport
import Testing

/// Two Swift types that have one record type because neither states its own.
@Suite struct ClaimedTypeTests {
    private enum Shop {
        struct Item: RecordCodable, Identifiable {
            var id: Int
            var price = 1
        }

        struct Basket: RecordCodable, Identifiable {
            var id: Int
            var items: [Item] = []
        }
    }

    private enum Library {
        struct Item: RecordCodable, Identifiable {
            var id: Int
            var title = "a"
        }
    }

    private struct ItemView: RecordCodable, Identifiable {
        static let recordType = "Item"
        var id: Int
        var price: Int
    }

    private func expectRefusal(_ body: () async throws -> Void) async {
        let error = await #expect(throws: RecordError.self) { try await body() }
        #expect(error?.code == .ambiguousRecordType && error?.description.contains("Shop.Item") == true)
        #expect(error?.description.contains("Library.Item") == true)
    }

    @Test func secondTypeIsNotSavedOverTheFirst() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(Shop.Basket(id: 1, items: [Shop.Item(id: 1)]))
        await expectRefusal { try await database.values.overwrite(Library.Item(id: 1)) }
        await expectRefusal { try await database.values.overwrite([Library.Item(id: 1)]) }
        await expectRefusal { try await database.values.insert(Library.Item(id: 2)) }
        await expectRefusal { _ = try await database.values.overwrite(Library.Item(id: 1)).value }
        await expectRefusal { try await database.values.overwrite(Library.Item(id: 1)) }
        #expect(try await database.fetch("Item/1")["price"] == 1)
        try await database.values.overwrite(Shop.Item(id: 1, price: 2))
    }

    @Test func typeThatStatesItsRecordTypeIsAView() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(Shop.Item(id: 1))
        try await database.values.update(ItemView.self, named: 1) { $0.price = 5 }
        #expect(try await database.values.fetch(Shop.Item.self, named: 1).value.price == 5)
    }

    @Test func otherDatabasesMayHoldTheOtherType() async throws {
        for _ in 0..<100 {
            let database = InMemoryRecordDatabase()
            try await database.values.overwrite(Shop.Item(id: 1))
            let other = InMemoryRecordDatabase()
            try await other.values.overwrite(Library.Item(id: 1))
        }
        _ = try RecordEncoder().encode(Shop.Item(id: 1))
        _ = try RecordEncoder().encode(Library.Item(id: 1))
    }
}
