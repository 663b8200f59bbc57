import NestedRecords
import Testing

/// Values in one field that are nested more deeply than a small thread can release.
struct DeepFieldTests {
    final class Link: Encodable {
        var next: Link?
        init(_ next: Link?) { self.next = next }

        static func chain(of count: Int) -> Link { (1..<count).reduce(Link(nil)) { link, _ in Link(link) } }

        /// Releases a chain without recursion.
        static func dismantle(_ link: Link) {
            var link: Link? = link
            while let current = link {
                link = current.next
                current.next = nil
            }
        }
    }

    struct Owner: RecordEncodable, Identifiable {
        var id = 1
        var first: Link
    }

    struct Nest: RecordEncodable, Identifiable {
        var id = 1
        var levels: Int

        enum CodingKeys: CodingKey { case list }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            for _ in 1..<levels { list = list.nestedUnkeyedContainer() }
        }
    }

    private var encoder: RecordEncoder {
        var encoder = RecordEncoder()
        encoder.maximumDepth = 100_000
        return encoder
    }

    @Test(arguments: [1_000, 1_001, 60_000])
    func embeddedValuesAreNestedAThousandTimesAtMost(count: Int) throws {
        let first = Link.chain(of: count)
        defer { Link.dismantle(first) }
        if count <= 1_000 {
            #expect(try encoder.encode(Owner(first: first)).count == 1)
        } else {
            let error = try #require(throws: RecordError.self) { try encoder.encode(Owner(first: first)) }
            #expect(error.code == .depthLimitExceeded)
            #expect(error.limit == 1_000)
            #expect(error.context.field == "first")
        }
    }

    @Test(arguments: [1_000, 1_001, 60_000])
    func nestedContainersAreNestedAThousandTimesAtMost(count: Int) throws {
        if count <= 1_000 {
            #expect(try encoder.encode(Nest(levels: count)).count == 1)
        } else {
            let error = try #require(throws: RecordError.self) { try encoder.encode(Nest(levels: count)) }
            #expect(error.code == .depthLimitExceeded)
            #expect(error.limit == 1_000)
        }
    }
}
