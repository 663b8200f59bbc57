import NestedRecords
import Testing

/// Types that keep an encoder or a container and use it when its value is done.
@Suite(.timeLimit(.minutes(10))) struct KeptCoderTests {
    final class Keeper {
        var encoder: (any Encoder)?
        var keyed: KeyedEncodingContainer<Item.CodingKeys>?
        var nested: KeyedEncodingContainer<Item.CodingKeys>?
        var unkeyed: (any UnkeyedEncodingContainer)?
        var errors = 0
    }

    struct Item: RecordEncodable, Identifiable {
        var id: Int
        var keeper: Keeper
        enum CodingKeys: CodingKey { case id, late, nested, list }

        func encode(to encoder: any Encoder) throws {
            write {
                var container = keeper.encoder?.container(keyedBy: CodingKeys.self)
                try container?.encode("late", forKey: .late)
            }
            write { try keeper.keyed?.encode("late", forKey: .late) }
            write { try keeper.nested?.encode("late", forKey: .late) }
            write { try keeper.unkeyed?.encode("late") }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            keeper.encoder = encoder
            keeper.keyed = container
            keeper.nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
            keeper.unkeyed = container.nestedUnkeyedContainer(forKey: .list)
        }

        private func write(_ body: () throws -> Void) {
            do { try body() } catch { keeper.errors += 1 }
        }
    }

    @Test func whatIsWrittenTooLateIsRefusedAndGoesNowhere() throws {
        let keeper = Keeper()
        let graph = try RecordEncoder().encode((1...5).map { Item(id: $0, keeper: keeper) })
        #expect(keeper.errors == 4 * 4)
        for (number, record) in zip(1...5, graph) {
            #expect(record.fields == ["id": .int(Int64(number)), "nested": .map([:]), "list": .list([])])
        }
        #expect(throws: EncodingError.self) { try keeper.keyed?.encode("late", forKey: .late) }
    }
}
