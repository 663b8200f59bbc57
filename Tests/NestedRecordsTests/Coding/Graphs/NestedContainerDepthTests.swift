import NestedRecords
import TestSupport
import Testing

/// Containers that a type opens in each other without another value in between.
@Suite struct NestedContainerDepthTests {
    enum Kind: CaseIterable, Sendable { case keyed, unkeyed, `super` }

    struct Nest: RecordCodable {
        static let kind = CodingUserInfoKey(rawValue: "kind").unsafelyUnwrapped
        var recordName: String { "n" }
        var levels: Int
        var kind: Kind

        enum CodingKeys: CodingKey { case nest }

        init(levels: Int, kind: Kind) { (self.levels, self.kind) = (levels, kind) }

        init(from decoder: any Decoder) throws {
            kind = try #require(decoder.userInfo[Self.kind] as? Kind)
            levels = 0
            var container = try decoder.container(keyedBy: CodingKeys.self)
            switch kind {
            case .keyed:
                while container.contains(.nest) {
                    container = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nest)
                    levels += 1
                }
            case .unkeyed:
                var list = try container.nestedUnkeyedContainer(forKey: .nest)
                levels += 1
                while !list.isAtEnd {
                    list = try list.nestedUnkeyedContainer()
                    levels += 1
                }
            case .super:
                while container.contains(.nest) {
                    container = try container.superDecoder(forKey: .nest).container(keyedBy: CodingKeys.self)
                    levels += 1
                }
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch kind {
            case .keyed:
                for _ in 0..<levels { container = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nest) }
            case .unkeyed:
                var list = container.nestedUnkeyedContainer(forKey: .nest)
                for _ in 1..<levels { list = list.nestedUnkeyedContainer() }
            case .super:
                for _ in 0..<levels {
                    container = container.superEncoder(forKey: .nest).container(keyedBy: CodingKeys.self)
                }
            }
        }
    }

    @Test(arguments: Kind.allCases) func containersWithinTheLimitAreCoded(kind: Kind) async throws {
        let levels = try await inThreadWithSmallStack {
            var decoder = RecordDecoder()
            decoder.coding.userInfo[Nest.kind] = kind
            return try decoder.decode(Nest.self, from: RecordEncoder().encode(Nest(levels: 999, kind: kind))).levels
        }
        #expect(levels == 999)
    }

    @Test(arguments: Kind.allCases, [1_000, 20_000]) func containersBeyondTheLimitAreRefused(
        kind: Kind, levels: Int
    ) async throws {
        let error = await #expect(throws: RecordError.self) {
            try await inThreadWithSmallStack { try RecordEncoder().encode(Nest(levels: levels, kind: kind)) }
        }
        #expect(error?.code == .depthLimitExceeded)
        #expect(error?.limit == 1_000)
        #expect(error?.context.record == (try Record.ID("Nest/n")))
        #expect(error?.context.field == "nest")
        #expect(error?.context.codingPath.count == 1_000)
    }
}
