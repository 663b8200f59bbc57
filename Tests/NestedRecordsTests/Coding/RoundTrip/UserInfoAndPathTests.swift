import NestedRecords
import Testing

/// What encoders and decoders tell a value of where it stands.
@Suite struct UserInfoAndPathTests {
    static let key = CodingUserInfoKey(rawValue: "colour")

    struct Spot: Codable, Equatable {
        var path: String
        var record: String
        var info: String

        init(path: String = "", record: String = "", info: String = "") {
            self.path = path
            self.record = record
            self.info = info
        }

        private init(_ path: [any CodingKey], _ userInfo: [CodingUserInfoKey: Any]) {
            let key = UserInfoAndPathTests.key
            self.init(
                path: path.map(\.stringValue).joined(separator: "."),
                record: (userInfo[.recordID] as? Record.ID)?.description ?? "none",
                info: key.flatMap { userInfo[$0] as? String } ?? "none")
        }

        enum CodingKeys: CodingKey { case text, list }

        /// Ignores what is stored and tells what the decoder says, from three places.
        init(from decoder: any Decoder) throws {
            self.init(decoder.codingPath, decoder.userInfo)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            _ = try list.decode(Int.self)
            let inner = try list.superDecoder()
            let expected = [path, "list", "Index 1"].filter { !$0.isEmpty }.joined(separator: ".")
            #expect(inner.codingPath.map(\.stringValue).joined(separator: ".") == expected)
            #expect((inner.userInfo[.recordID] as? Record.ID)?.description == record)
            #expect(container.codingPath.count == decoder.codingPath.count)
        }

        func encode(to encoder: any Encoder) throws {
            let spot = Spot(encoder.codingPath, encoder.userInfo)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("\(spot.path) | \(spot.record) | \(spot.info)", forKey: .text)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            let inner = list.superEncoder()
            let expected = [spot.path, "list", "Index 1"].filter { !$0.isEmpty }.joined(separator: ".")
            #expect(inner.codingPath.map(\.stringValue).joined(separator: ".") == expected)
            #expect((inner.userInfo[.recordID] as? Record.ID)?.description == spot.record)
        }
    }

    struct Child: RecordCodable, Equatable {
        var recordName: String { "child" }
        var spot = Spot()
    }

    struct Root: RecordCodable, Equatable {
        var recordName: String { "root" }
        var first = Spot()
        var list = [Spot()]
        var map = ["k": [Spot()]]
        var child = Child()
        var nested = Nested(Spot())
        var base = UnderSuper(Spot())
        var payload = Payload.two(left: Spot(), right: Spot())
        var last = Spot()
    }

    static let paths = [
        "first", "list.Index 0", "map.k.Index 0", "nested.outer.inner.Index 0", "base.super", "payload.two.left",
        "payload.two.right", "last",
    ]

    @Test func encodersHavePathRecordAndUserInfo() throws {
        var encoder = RecordEncoder()
        encoder.coding.userInfo[try #require(Self.key)] = "red"
        let graph = try encoder.encode(Root())
        let texts = graph.map(\.description).joined().split(separator: "\"").filter { $0.contains(" | ") }
        let expected = Self.paths.map { "\($0) | Root/root | red" } + ["child.spot | Child/child | red"]
        #expect(texts.map(String.init).sorted() == expected.sorted())
    }

    @Test func decodersHavePathRecordAndUserInfo() throws {
        let graph = try RecordEncoder().encode(Root())
        var decoder = RecordDecoder()
        decoder.coding.userInfo[try #require(Self.key)] = "red"
        let root = try decoder.decode(Root.self, from: graph)
        func spot(_ path: String, record: String = "Root/root") -> Spot {
            Spot(path: path, record: record, info: "red")
        }
        #expect(root.first == spot("first"))
        #expect(root.list == [spot("list.Index 0")])
        #expect(root.map == ["k": [spot("map.k.Index 0")]])
        #expect(root.child.spot == spot("child.spot", record: "Child/child"))
        #expect(root.nested.value == spot("nested.outer.inner.Index 0"))
        #expect(root.base.value == spot("base.super"))
        #expect(root.payload == .two(left: spot("payload.two.left"), right: spot("payload.two.right")))
        #expect(root.last == spot("last"))
    }
}
