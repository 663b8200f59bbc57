import Foundation
import Models
import NestedRecords

/// The coders against hand-written conversion, `Codable` alone, JSON, property lists and GRDB.
struct CodingComparison {
    private let isQuick: Bool
    private var encoding = Section("encode", "Encoding, processor time of one record", isPerPiece: true)
    private var decoding = Section("decode", "Decoding, processor time of one record", isPerPiece: true)

    init(isQuick: Bool) { self.isQuick = isQuick }

    /// The other contenders of a case, and its targets.
    struct Others {
        var encode: [Contender] = []
        var decode: [Contender] = []

        /// The minimum speed-up over JSON for each direction.
        var json: (encode: Double?, decode: Double?) = (nil, nil)
        var targets: (encode: [Target], decode: [Target]) = ([], [])
    }

    mutating func run() async throws -> [Section] {
        for count in [10, 1_000, 10_000, 100_000] where !isQuick || count < 100_000 {
            let school = try School(records: count)
            try await compare("school of \(count)", school, count: count, try .ofSchool(school, count))
        }
        let chain = Person.chain(of: 100)
        try await compare("chain of 100", chain, count: 100, .ofChain(chain))
        let wide = Wide.list(of: 200)
        try await compare("200 of 50 fields", wide, count: 200, .ofWide(wide))
        for layers in [6, 12] {
            try await compare("\(layers) layers of diamonds", Diamond.layers(layers), count: 2 * layers + 1, Others())
        }
        try await compare(
            "playlists of copies", try Playlists.copies(), count: Playlists.recordCount, .ofPlaylists())
        try await addGrowthOfDiamonds()
        if isQuick {
            encoding.notes.append("Left out by --quick: the school of 100000, the world, and most rounds.")
        } else if let url = WorldFile.url {
            let planet = try WorldFile.planet(at: url)
            try await compare("the world", planet, count: try RecordEncoder().encode(planet).count, Others())
        }
        return [encoding, decoding]
    }

    /// The number of paths doubles with each layer: a coder that follows all of them takes 64 times as long.
    private mutating func addGrowthOfDiamonds() async throws {
        let (few, many) = (Diamond.layers(6), Diamond.layers(12))
        let (fewRecords, manyRecords) = (try RecordEncoder().encode(few), try RecordEncoder().encode(many))
        let name = "time of 12 layers of diamonds to that of 6"
        let target = Target("12 layers", to: "6 layers", atMost: 2.5)
        let times = try await Comparison(
            name, count: 1, rounds: 25, turn: .milliseconds(1), targets: [target],
            [
                Contender("6 layers") { try RecordEncoder().encode(few) },
                Contender("12 layers") { try RecordEncoder().encode(many) },
            ])
        if let ratio = times.ratio(target) { encoding.add(name, ratio, "times", target.limit) }
        let others = try await Comparison(
            name, count: 1, rounds: 25, turn: .milliseconds(1), targets: [target],
            [
                Contender("6 layers") { try RecordDecoder().decode(Diamond.self, from: fewRecords) },
                Contender("12 layers") { try RecordDecoder().decode(Diamond.self, from: manyRecords) },
            ])
        if let ratio = others.ratio(target) { decoding.add(name, ratio, "times", target.limit) }
    }

    private mutating func compare<Value: RecordCodable & Sendable>(
        _ task: String, _ value: Value, count: Int, _ others: Others
    ) async throws {
        let graph = try RecordEncoder().encode(value)
        try await compare(
            task, value, count: count, others,
            Contender("records") { try RecordEncoder().encode(value) },
            Contender("records") { try RecordDecoder().decode(Value.self, from: graph) })
    }

    private mutating func compare<Value: RecordCodable & Sendable>(
        _ task: String, _ values: [Value], count: Int, _ others: Others
    ) async throws {
        let graph = try RecordEncoder().encode(values)
        try await compare(
            task, values, count: count, others,
            Contender("records") { try RecordEncoder().encode(values) },
            Contender("records") { try RecordDecoder().decodeAll(Value.self, from: graph) })
    }

    private mutating func compare<Value: Codable & Sendable>(
        _ task: String, _ value: Value, count: Int, _ others: Others, _ encode: Contender, _ decode: Contender
    ) async throws {
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
            try await comparison(
                task, count, others.targets.encode, others.json.encode, encoders + others.encode))
        decoding.comparisons.append(
            try await comparison(
                task, count, others.targets.decode, others.json.decode, decoders + others.decode))
    }

    private func comparison(
        _ task: String, _ count: Int, _ targets: [Target], _ json: Double?, _ contenders: [Contender]
    ) async throws -> Comparison {
        try await Comparison(
            task, count: count, rounds: 101, within: isQuick ? .milliseconds(300) : .seconds(4),
            atLeast: isQuick ? 3 : 9, turn: .milliseconds(2),
            targets: [Target("records", fasterThan: "json", atLeast: json)] + targets, contenders)
    }
}
