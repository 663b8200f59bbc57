import Foundation
import NestedRecords
import Testing

/// When a call is over, the coders hold nothing of what they were given or what they made.
@Suite(.timeLimit(.minutes(60))) struct MemoryReuseTests {
    typealias Token = HeldToken

    /// A value for each place where a coder may hold something.
    enum Holder: CaseIterable {
        case record, twinRecord, embedded, element, entry, key, otherKey, nestedKey, nestedPart, superPart
        case dictionaryKey, bytes, bytesBeforeError, bytesOfPart, bytesOfFailedPart, union, errorOfPart, errorOfRecord,
            swallowedError
    }

    final class Node: RecordEncodable {
        static var recordType: String { "Node" }
        let recordName = "n"
        let token: Token
        init(_ token: Token) { self.token = token }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    struct Copy: RecordEncodable {
        static var recordType: String { "Copy" }
        var recordName: String { "c" }
        var token: Token
        var other = [1]
        func encode(to encoder: any Encoder) throws { try other.encode(to: encoder) }
    }

    struct Part: Encodable {
        var token: Token
        var fails = false
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: FreeKey.self)
            try container.encode(1, forKey: FreeKey("one"))
            if fails { throw Failing(token: token) }
        }
    }

    struct BytesPart: Encodable {
        var token: Token
        var fails = false
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(Data.holding(token))
            if fails { throw Failing(token: token) }
        }
    }

    struct Failing: Error { var token: Token }

    struct FailingRecord: RecordEncodable {
        static var recordType: String { "FailingRecord" }
        var recordName: String { "f" }
        var token: Token
        func encode(to encoder: any Encoder) throws { throw Failing(token: token) }
    }

    struct Key: CodingKey {
        var token: Token?
        var stringValue: String
        var intValue: Int? { nil }
        init(_ token: Token, _ name: String = "key") { (self.token, stringValue) = (token, name) }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    struct DictionaryKey: Hashable, Codable, CodingKeyRepresentable {
        var token: Token?
        var codingKey: any CodingKey { token.map { Key($0) } ?? FreeKey("key") }
        init(token: Token) { self.token = token }
        init?<T: CodingKey>(codingKey: T) {}
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) throws {}
        static func == (left: Self, right: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    struct Union: RecordUnion {
        static var recordTypes: [any RecordDecodable.Type] { [] }
        var token: Token?
        init(_ token: Token) { self.token = token }
        init?(record: any RecordDecodable) {}
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) throws {}
        var record: any RecordEncodable { Copy(token: token ?? Token()) }
    }

    struct Root: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "r" }
        var holder: Holder
        var token: Token

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            let key = Key(token)
            switch holder {
            case .record: try container.encode([Node(token), Node(token)].suffix(1), forKey: key)
            case .twinRecord: try container.encode([Copy(token: token), Copy(token: token, other: [1])], forKey: key)
            case .embedded: try container.encode(Part(token: token), forKey: key)
            case .element: try container.encode([Part(token: token)], forKey: key)
            case .entry: try container.encode(["a": [1: Part(token: token)]], forKey: key)
            case .key: try container.encode(1, forKey: key)
            case .otherKey:
                try container.encode([1], forKey: key)
                var other = encoder.container(keyedBy: FreeKey.self)
                try other.encode([2], forKey: FreeKey("other"))
            case .nestedKey:
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: key)
                try nested.encode([[1]], forKey: key)
            case .nestedPart:
                var nested = container.nestedUnkeyedContainer(forKey: key)
                try nested.encode(Part(token: token))
            case .superPart: try Part(token: token).encode(to: container.superEncoder(forKey: key))
            case .dictionaryKey: try container.encode([DictionaryKey(token: token): Part(token: token)], forKey: key)
            case .bytes: try container.encode(Data.holding(token), forKey: key)
            case .bytesBeforeError:
                try container.encode(Data.holding(token), forKey: key)
                throw Failing(token: token)
            case .bytesOfPart: try container.encode([BytesPart(token: token)], forKey: key)
            case .bytesOfFailedPart: try? container.encode([BytesPart(token: token, fails: true)], forKey: key)
            case .union: try container.encode([Union(token)], forKey: key)
            case .errorOfPart: try container.encode([Part(token: token, fails: true)], forKey: key)
            case .errorOfRecord: try container.encode(FailingRecord(token: token), forKey: key)
            case .swallowedError: try? container.encode([Part(token: token, fails: true)], forKey: key)
            }
        }
    }

    @Test(arguments: Holder.allCases) func nothingOfAValueOutlivesItsCall(holder: Holder) throws {
        for _ in 0..<3 {
            weak var token: Token?
            do {
                let strong = Token()
                token = strong
                let root = Root(holder: holder, token: strong)
                let graph = Result { try RecordEncoder().encode([root]) }
                let fails = [.errorOfPart, .errorOfRecord, .bytesBeforeError].contains(holder)
                #expect((try? graph.get().last?.id.description) == (fails ? nil : "Root/r"))
                #expect(token != nil)
            }
            #expect(token == nil)
        }
    }
}
