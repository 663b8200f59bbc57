import Counting
import Models

extension CodingComparison.Others {
    /// The hand-written forms, the null coders, and tables for schools that are not too large.
    static func ofSchool(_ school: School, _ count: Int) throws -> Self {
        let byShape = HandWritten<ShapeForm>(school)
        let byDictionary = HandWritten<DictionaryForm>(school)
        let isLarge = count >= 1_000
        var others = Self()
        others.json = isLarge ? (6, 6) : (4, 4)
        others.encode = [
            Contender("nothing") { try school.encode(to: NullEncoder()) },
            Contender("shape by hand") { HandWritten<ShapeForm>(school) },
            Contender("dictionaries by hand") { HandWritten<DictionaryForm>(school) },
        ]
        others.decode = [
            Contender("nothing") { try School(from: NullDecoder(listLength: (count - 2) / 2)) },
            Contender("shape by hand") { byShape.school(school.id) },
            Contender("dictionaries by hand") { byDictionary.school(school.id) },
        ]
        others.targets.encode = [
            Target("records", to: "shape by hand", atMost: isLarge ? 3.5 : nil),
            Target("records", to: "dictionaries by hand", atMost: isLarge ? 0.8 : nil),
        ]
        others.targets.decode = [
            Target("records", to: "shape by hand", atMost: isLarge ? 2 : nil),
            Target("records", to: "dictionaries by hand"),
        ]
        if (1_000...10_000).contains(count) { try others.addTables(school) }
        return others
    }

    private mutating func addTables(_ school: School) throws {
        let tables = try GRDBSchool()
        encode.append(
            Contender(name: "grdb") { _ in
                try tables.empty()
                return try ProcessorTime.of { try tables.insert(school) }
            })
        decode.append(Contender("grdb") { try tables.fetch() })
        targets.encode.append(Target("records", fasterThan: "grdb", atLeast: 15))
        targets.decode.append(Target("records", fasterThan: "grdb", atLeast: 4))
    }

    static func ofChain(_ chain: Person) -> Self {
        let byShape = HandWritten<ShapeForm>(chain: chain)
        let byDictionary = HandWritten<DictionaryForm>(chain: chain)
        var others = Self()
        others.json = (4, 3)
        others.encode = [
            Contender("nothing") { try chain.encode(to: NullEncoder()) },
            Contender("shape by hand") { HandWritten<ShapeForm>(chain: chain) },
            Contender("dictionaries by hand") { HandWritten<DictionaryForm>(chain: chain) },
        ]
        others.decode = [
            Contender("shape by hand") { byShape.chain(chain.id) },
            Contender("dictionaries by hand") { byDictionary.chain(chain.id) },
        ]
        return others
    }

    static func ofPlaylists() -> Self {
        var others = Self()
        others.json = (4, 4)
        return others
    }

    static func ofWide(_ values: [Wide]) -> Self {
        let target = Target("records", to: "nothing", atMost: 2.2)
        return Self(
            encode: [Contender("nothing") { try values.encode(to: NullEncoder()) }],
            decode: [Contender("nothing") { try [Wide](from: NullDecoder(listLength: values.count)) }],
            json: (9, 13), targets: ([target], [target]))
    }
}
