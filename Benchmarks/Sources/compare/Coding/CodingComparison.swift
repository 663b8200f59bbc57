import Foundation
import Models
import NestedRecords

/// The coders against hand-written conversion, `Codable` alone, JSON, property lists and GRDB.
struct CodingComparison {
    private let isQuick: Bool
    private var encoding = Section("Encoding, time of one record", isPerPiece: true)
    private var decoding = Section("Decoding, time of one record", isPerPiece: true)

    init(isQuick: Bool) { self.isQuick = isQuick }

    /// What is asked of a case: the time to those of others.
    typealias Limits = [(other: String, encode: Double?, decode: Double?)]

    mutating func run() async throws -> [Section] {
        let usual: Limits = [("json", 1 / 3.5, 1 / 3.5)]
        let large: Limits = [
            ("json", 1 / 6, 1 / 6), ("shape by hand", 3.5, 2), ("dictionaries by hand", 0.8, nil),
            ("grdb", 1 / 15, 1 / 4),
        ]
        for (count, limits) in [(10, usual), (1_000, large), (10_000, large), (100_000, large)] {
            if isQuick, count == 100_000 { continue }
            let school = try School(records: count)
            try await compare("school of \(count)", school, count: count, limits, others: try ofSchool(school, count))
        }
        try await compare("chain of 100", Person.chain(of: 100), count: 100, [("json", 1 / 4, 1 / 3)])
        let wide = Wide.list(of: 200)
        let nulls: (encode: [Contender], decode: [Contender]) = (
            [Contender("nothing") { try wide.encode(to: NullEncoder()) }],
            [Contender("nothing") { try [Wide](from: NullDecoder(listLength: 200)) }]
        )
        try await compare(
            "200 of 50 fields", wide, count: 200, [("json", 1 / 9, 1 / 13), ("nothing", 2.2, 2.2)], others: nulls)
        for layers in [6, 12] {
            try await compare("\(layers) layers of diamonds", Diamond.layers(layers), count: 2 * layers + 1, [])
        }
        if let url = WorldFile.url {
            try await compare("the world", try WorldFile.planet(at: url), count: 63_804, [("json", nil, nil)])
        }
        return [encoding, decoding]
    }

    private func ofSchool(_ school: School, _ count: Int) throws -> (encode: [Contender], decode: [Contender]) {
        let byShape = HandWritten<ShapeForm>(school)
        let byDictionary = HandWritten<DictionaryForm>(school)
        var encode = [
            Contender("nothing") { try school.encode(to: NullEncoder()) },
            Contender("shape by hand") { HandWritten<ShapeForm>(school) },
            Contender("dictionaries by hand") { HandWritten<DictionaryForm>(school) },
        ]
        var decode = [
            Contender("nothing") { try School(from: NullDecoder(listLength: (count - 2) / 2)) },
            Contender("shape by hand") { byShape.school(school.id) },
            Contender("dictionaries by hand") { byDictionary.school(school.id) },
        ]
        if (1_000...10_000).contains(count) {
            let tables = try GRDBSchool()
            encode.append(
                Contender(name: "grdb") { _ in
                    try tables.empty()
                    return try await time { try tables.insert(school) }
                })
            decode.append(Contender("grdb") { try tables.fetch() })
        }
        return (encode, decode)
    }

    private mutating func compare<Value: Codable & Sendable>(
        _ task: String, _ value: Value, count: Int, _ limits: Limits,
        others: (encode: [Contender], decode: [Contender]) = ([], [])
    ) async throws where Value: RecordCodable {
        let graph = try RecordEncoder().encode(value)
        try await compare(
            task, value, count: count, limits, others,
            Contender("records") { try RecordEncoder().encode(value) },
            Contender("records") { try RecordDecoder().decode(Value.self, from: graph) })
    }

    private mutating func compare<Value: RecordCodable & Sendable>(
        _ task: String, _ values: [Value], count: Int, _ limits: Limits,
        others: (encode: [Contender], decode: [Contender]) = ([], [])
    ) async throws {
        let graph = try RecordEncoder().encode(values)
        try await compare(
            task, values, count: count, limits, others,
            Contender("records") { try RecordEncoder().encode(values) },
            Contender("records") { try RecordDecoder().decodeAll(Value.self, from: graph) })
    }

    private mutating func compare<Value: Codable & Sendable>(
        _ task: String, _ value: Value, count: Int, _ limits: Limits,
        _ others: (encode: [Contender], decode: [Contender]), _ encode: Contender, _ decode: Contender
    ) async throws {
        let rounds = max(isQuick ? 3 : 7, min(isQuick ? 101 : 501, (isQuick ? 20_000 : 200_000) / count))
        let json = try JSONEncoder().encode(value)
        let lists = PropertyListEncoder()
        lists.outputFormat = .binary
        let list = try lists.encode(value)
        let encoders = [
            encode, Contender("json") { try JSONEncoder().encode(value) },
            Contender("plist") { try lists.encode(value) },
        ]
        let decoders = [
            decode, Contender("json") { try JSONDecoder().decode(Value.self, from: json) },
            Contender("plist") { try PropertyListDecoder().decode(Value.self, from: list) },
        ]
        encoding.comparisons.append(
            try await Comparison(
                task, count: count, rounds: rounds,
                targets: limits.map { Target("records", to: $0.other, atMost: $0.encode) }, encoders + others.encode))
        decoding.comparisons.append(
            try await Comparison(
                task, count: count, rounds: rounds,
                targets: limits.map { Target("records", to: $0.other, atMost: $0.decode) }, decoders + others.decode))
    }
}

extension Contender {
    /// Does the same in each round; what comes of it is freed after the time was taken.
    fileprivate init<Result>(_ name: String, _ work: @escaping () throws -> Result) {
        self.init(name: name) { _ in
            let start = ContinuousClock.now
            let result = try work()
            let duration = start.duration(to: .now)
            withExtendedLifetime(result) {}
            return duration
        }
    }
}
