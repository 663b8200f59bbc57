import NestedRecords
import TestSupport
import Testing

/// Containers that a type opens in each other without another value in between.
@Suite(.timeLimit(.minutes(10))) struct NestedContainerDepthTests {
    enum Kind: CaseIterable, Sendable {
        case keyed, unkeyed, `super`
    }

    struct Nest: RecordEncodable, Identifiable {
        var id = "n"
        var levels: Int
        var kind: Kind

        enum CodingKeys: CodingKey { case id, nest }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
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

    @Test(arguments: Kind.allCases)
    func containersWithinTheLimitAreEncoded(kind: Kind) async throws {
        let depth = try await inThreadWithSmallStack {
            var depth = 0
            var value = try RecordEncoder().encode(Nest(levels: 999, kind: kind)).first?["nest"]
            while let current = value {
                depth += 1
                switch current {
                case .map(let fields): value = fields["nest"]
                case .list(let values): value = values.first
                default: value = nil
                }
            }
            return depth
        }
        #expect(depth == 999)
    }

    @Test(arguments: Kind.allCases, [1_000, 20_000]) func containersBeyondTheLimitAreRefused(
        kind: Kind, levels: Int
    ) async throws {
        let result: Result<RecordGraph, any Error> = await inSmallThread {
            try RecordEncoder().encode(Nest(levels: levels, kind: kind))
        }
        let error = #expect(throws: RecordError.self) { try result.get() }
        guard error?.code == .depthLimitExceeded, error?.limit == 1_000, let place = error?.context else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.record == (try Record.ID("Nest/n")))
        #expect(place.field == "nest")
        #expect(place.codingPath.count == 1_000)
    }

    private func inSmallThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async -> Result<Value, any Error> {
        do { return .success(try await inThreadWithSmallStack(body)) } catch { return .failure(error) }
    }
}
