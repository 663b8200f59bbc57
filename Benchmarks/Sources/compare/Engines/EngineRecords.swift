#if Engines
import NestedRecords

/// The records of the comparison of engines: items with a number, which has a declared index.
struct EngineRecords {
    static let type = "Item"
    static let field = "count"

    /// The upper bound of the numbers in the field.
    static let numbers = 1_000_000

    let size: Int

    func id(_ number: Int) throws -> Record.ID { try Record.ID(type: Self.type, name: "item-\(number)") }

    /// An item, with another number in the field in each round.
    func record(_ number: Int, round: Int = 0) throws -> Record {
        var random = RandomNumbers(seed: UInt64(number) << 16 | UInt64(round))
        return try Record(
            id: id(number),
            fields: [
                Self.field: .int(Int64(random.next() % UInt64(Self.numbers))),
                "name": .string("What item \(number) is called"), "price": .double(Double(number) * 0.25),
                "isAvailable": .bool(number.isMultiple(of: 3)),
                "owner": .reference(Record.Reference(to: try Record.ID(type: "Owner", name: "\(number / 100)"))),
                "note": .string("Some words that say more about item \(number), and fill its record"),
            ])
    }

    func records(_ numbers: some Sequence<Int>, round: Int = 0) throws -> [Record] {
        try numbers.map { try record($0, round: round) }
    }
}
#endif
