import NestedRecords
import TestSupport
import Testing

/// A weak reference is not counted, so it must not lead to a coder that serves another call.
@Suite(.serialized) struct WeakCoderReuseTests {
    final class Shelf {
        weak var encoder: AnyObject?
        weak var decoder: AnyObject?
    }

    static let shelf = Locked(Shelf())

    struct Item: RecordCodable {
        static var recordType: String { "Item" }
        var recordName: String { "1" }
        var number: Int
        var parts: [Item]

        enum CodingKeys: CodingKey { case number, parts }

        init(_ number: Int, _ parts: [Item] = []) {
            self.number = number
            self.parts = parts
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            number = try container.decode(Int.self, forKey: .number)
            parts = []
            let object = decoder as AnyObject
            WeakCoderReuseTests.shelf.withLock { $0.decoder = object }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(number, forKey: .number)
            let object = encoder as AnyObject
            WeakCoderReuseTests.shelf.withLock { $0.encoder = object }
        }
    }

    @Test func coderThatIsKeptWeaklyIsGoneAfterItsCall() throws {
        for number in 0..<5 {
            let graph = try RecordEncoder().encode(Item(number))
            #expect(Self.shelf.withLock { $0.encoder == nil })
            #expect(try RecordDecoder().decode(Item.self, from: graph).number == number)
            #expect(Self.shelf.withLock { $0.decoder == nil })
        }
    }
}

extension WeakCoderReuseTests {
    /// Looks for the encoder when it goes, which is when the session lets go of the instances of a call.
    final class Prying: RecordEncodable {
        static var recordType: String { "Prying" }
        let recordName = "1"
        weak let encoder: AnyObject?

        init(_ encoder: AnyObject) { self.encoder = encoder }

        deinit {
            let wasThere = encoder != nil
            WeakCoderReuseTests.findings.withLock { $0.append(wasThere) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    static let findings = Locked<[Bool]>([])

    struct Host: RecordEncodable {
        static var recordType: String { "Host" }
        var recordName: String { "1" }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(Prying(encoder as AnyObject))
        }
    }

    @Test func objectThatGoesWithItsCallFindsNoEncoder() throws {
        for _ in 0..<3 { #expect(try RecordEncoder().encode(Host()).count == 2) }
        #expect(Self.findings.withLock { $0 } == [false, false, false])
    }
}
