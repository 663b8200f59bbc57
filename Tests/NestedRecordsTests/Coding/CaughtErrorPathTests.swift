import NestedRecords
import TestSupport
import Testing

/// The coding paths of errors of a type's own code, where types around it catch errors.
@Suite struct CaughtErrorPathTests {
    struct Oops: Error { var number = 0 }

    /// A tree that does while it is decoded what its fields say.
    struct Node: Codable, Equatable {
        var list: [Node]?
        var map: [String: Node]?
        var inner: [[Node]]?
        var fails: Int?

        /// What is thrown after an error was caught.
        var throwsAgain: String?

        enum CodingKeys: CodingKey { case list, map, inner, fails, throwsAgain }
        static let shared = CodingUserInfoKey(rawValue: "CaughtErrorPathTests.shared").unsafelyUnwrapped

        init(
            list: [Node]? = nil, map: [String: Node]? = nil, inner: [[Node]]? = nil, fails: Int? = nil,
            throwsAgain: String? = nil
        ) {
            (self.list, self.map, self.inner, self.fails, self.throwsAgain) = (list, map, inner, fails, throwsAgain)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            fails = try container.decodeIfPresent(Int.self, forKey: .fails)
            throwsAgain = try container.decodeIfPresent(String.self, forKey: .throwsAgain)
            if let fails, fails > 0 {
                if let shared = decoder.userInfo[Self.shared] as? any Error { throw shared }
                throw Oops(number: fails)
            }
            do {
                list = try container.decodeIfPresent([Node].self, forKey: .list)
                if let nested = try? container.nestedUnkeyedContainer(forKey: .inner) {
                    var nested = nested
                    inner = []
                    while !nested.isAtEnd {
                        inner?.append(try [Node](from: nested.superDecoder()))
                    }
                }
            } catch {
                guard let throwsAgain else { throw error }
                map = try container.decodeIfPresent([String: Node].self, forKey: .map)
                switch throwsAgain {
                case "same": throw error
                case "other": throw Oops(number: 100)
                default: return
                }
            }
            map = try container.decodeIfPresent([String: Node].self, forKey: .map)
        }
    }

    private func path(
        _ node: Node, _ info: [CodingUserInfoKey: any Sendable] = [:], _ strategy: EmbeddingStrategy = .map
    ) throws -> String {
        var (encoder, decoder) = (RecordEncoder(), RecordDecoder())
        (encoder.coding.embeddingStrategy, decoder.coding.embeddingStrategy) = (strategy, strategy)
        decoder.coding.userInfo = info
        let graph = try encoder.encode(Holder([node]))
        do {
            _ = try decoder.decode(Holder<[Node]>.self, from: graph)
            return "no error"
        } catch DecodingError.dataCorrupted(let context) {
            #expect(context.debugDescription.contains("in record Holder/holder, field 'value'"))
            return "\(context.codingPath.text) \((context.ownError as? Oops)?.number ?? -1)"
        }
    }

    private static let failing = Node(fails: 7)

    @Test(arguments: [EmbeddingStrategy.map, .flattened()]) func pathLeadsToTheValueThatThrew(
        _ strategy: EmbeddingStrategy
    ) throws {
        func path(_ node: Node) throws -> String { try self.path(node, [:], strategy) }
        #expect(try path(Self.failing) == "value.0 7")
        #expect(try path(Node(list: [Node(), Self.failing])) == "value.0.list.1 7")
        #expect(try path(Node(map: ["a": Node(list: [Self.failing])])) == "value.0.map.a.list.0 7")
        #expect(try path(Node(list: [Node(inner: [[], [Node(), Self.failing]])])) == "value.0.list.0.inner.1.1 7")
    }

    @Test func errorThatIsThrownAgainHasThePathThatItHad() throws {
        let caught = Node(
            list: [Node(list: [Self.failing])], map: ["a": Node(list: [Node()])], throwsAgain: "same")
        #expect(try path(caught) == "value.0.list.0.list.0 7")
        #expect(try path(Node(list: [Node(), caught])) == "value.0.list.1.list.0.list.0 7")
    }

    @Test func otherErrorHasThePathOfTheTypeThatThrowsIt() throws {
        let caught = Node(list: [Node(list: [Self.failing])], throwsAgain: "other")
        #expect(try path(caught) == "value.0 100")
        #expect(try path(Node(map: ["a": caught])) == "value.0.map.a 100")
        let forgiving = Node(list: [Self.failing], throwsAgain: "nothing")
        #expect(try path(Node(list: [forgiving, Node(fails: 8)])) == "value.0.list.1 8")
        #expect(try path(forgiving) == "no error")
    }

    @Test func errorThatIsOneObjectHasThePathOfTheValueThatThrewItLast() throws {
        let forgiving = Node(list: [Self.failing], throwsAgain: "nothing")
        let error: any Error & Sendable = Oops(number: 9)
        let info: [CodingUserInfoKey: any Sendable] = [Node.shared: error]
        #expect(try path(Node(list: [forgiving, Node(fails: 8)]), info).hasPrefix("value.0.list.1 "))
        #expect(
            try path(Node(list: [forgiving, Node(list: [Node(), Self.failing])]), info)
                .hasPrefix("value.0.list.1.list.1 "))
    }
}
