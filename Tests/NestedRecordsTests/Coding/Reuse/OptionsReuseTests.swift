import NestedRecords
import TestSupport
import Testing

/// The options of one call mean nothing to the next.
@Suite(.timeLimit(.minutes(10))) struct OptionsReuseTests {
    final class Token: Sendable {}

    enum Options: CaseIterable { case none, information, object, shallow, deep, snakeCase, custom, flattened, all }

    static let number = CodingUserInfoKey(rawValue: "number")

    struct Part: Codable, Equatable {
        var theID = 1
        var parts: [Part] = []
    }

    /// Shows what its coder says of the options.
    struct Root: RecordCodable, Equatable {
        static var recordType: String { "Root" }
        var recordName: String { "r" }
        var aNumber: Int?
        var thePart = Part(parts: [Part()])
        var information = ""

        enum CodingKeys: CodingKey { case aNumber, thePart, information }

        init(aNumber: Int?) { self.aNumber = aNumber }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            aNumber = try container.decodeIfPresent(Int.self, forKey: .aNumber)
            thePart = try container.decode(Part.self, forKey: .thePart)
            _ = try container.decode(String.self, forKey: .information)
            information = Self.text(decoder.userInfo)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(aNumber, forKey: .aNumber)
            try container.encode(thePart, forKey: .thePart)
            try container.encode(Self.text(encoder.userInfo), forKey: .information)
        }

        static func text(_ userInfo: [CodingUserInfoKey: Any]) -> String {
            userInfo.map { "\($0.key.rawValue)=\($0.value)" }.sorted().joined(separator: ", ")
        }
    }

    private struct Expected {
        var encoder = RecordEncoder()
        var names = ["aNumber", "thePart", "theID", "parts", "information"]
        var information = "NestedRecords.recordID=Root/r"
        var isFlat = false
        var isTooDeep = false

        func line(_ number: Int) -> String {
            let first = "\(names[2]): 1"
            let rest = "\(names[3]): [{\(names[2]): 1, \(names[3]): []}]"
            let part =
                isFlat
                ? "\(names[1])_\(first), \(names[1])_\(rest)" : "\(names[1]): {\(first), \(rest)}"
            return #"Root/r {\#(names[0]): \#(number), \#(part), \#(names[4]): "\#(information)"}"#
        }
    }

    private func expected(_ options: Options, _ token: Token) throws -> Expected {
        var expected = Expected()
        let key = try #require(Self.number)
        switch options {
        case .none: break
        case .information:
            expected.encoder.userInfo[key] = 7
            expected.information += ", number=7"
        case .object: expected.encoder.userInfo[.recordID] = token
        case .shallow:
            expected.encoder.maximumDepth = 2
            expected.isTooDeep = true
        case .deep: expected.encoder.maximumDepth = 5_000
        case .snakeCase:
            expected.encoder.keyStrategy = .snakeCase
            expected.names = ["a_number", "the_part", "the_id", "parts", "information"]
        case .custom:
            expected.encoder.keyStrategy = .custom { [token] in "\(type(of: token)).\($0)" }
            expected.names = expected.names.map { "Token.\($0)" }
        case .flattened, .all:
            expected.encoder.embeddingStrategy = .flattened()
            expected.isFlat = true
            guard options == .all else { break }
            expected.encoder.userInfo[key] = 8
            expected.information += ", number=8"
            expected.encoder.keyStrategy = .snakeCase
            expected.names = ["a_number", "the_part", "the_id", "parts", "information"]
        }
        return expected
    }

    private func check(_ options: Options, _ number: Int, _ token: Token) throws {
        let expected = try expected(options, token)
        var root = Root(aNumber: number)
        if expected.isTooDeep {
            let error = #expect(throws: RecordError.self) { try expected.encoder.encode(root) }
            guard error?.code == .depthLimitExceeded, error?.limit == 2, let place = error?.context else {
                return #expect(error == nil)
            }
            #expect(place.keys == ["thePart", "parts"])
            return
        }
        let graph = try expected.encoder.encode(root)
        #expect(graph.lines == [expected.line(number)])
        root.information = expected.information
        var decoder = RecordDecoder()
        decoder.keyStrategy = expected.encoder.keyStrategy
        decoder.embeddingStrategy = expected.encoder.embeddingStrategy
        decoder.userInfo = expected.encoder.userInfo
        decoder.maximumDepth = expected.encoder.maximumDepth
        #expect(try decoder.decode(Root.self, from: graph) == root)
    }

    @Test(arguments: Options.allCases, Options.allCases)
    func optionsOfACallEndWithIt(first: Options, second: Options) throws {
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            for number in 0..<2 {
                try check(first, number, token)
                try check(second, number, token)
                try check(.none, number, token)
            }
        }
        #expect(weakToken == nil)
    }
}
