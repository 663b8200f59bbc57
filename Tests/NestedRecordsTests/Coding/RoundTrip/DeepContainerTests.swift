import Foundation
import NestedRecords
import Testing

/// Nested containers in each other, all made by one type.
@Suite struct DeepContainerTests {
    enum Key: CodingKey { case a }

    enum Kind: CaseIterable { case keyed, list, superEncoder }

    struct Deep: RecordCodable {
        var recordName: String { "deep" }
        var kind: Kind
        var depth: Int

        init(kind: Kind, depth: Int) {
            self.kind = kind
            self.depth = depth
        }

        init(from decoder: any Decoder) throws {
            let value = CodingUserInfoKey(rawValue: "kind").flatMap { decoder.userInfo[$0] as? Kind }
            kind = try #require(value)
            depth = 1
            var container = try decoder.container(keyedBy: Key.self)
            var list = try container.nestedUnkeyedContainer(forKey: .a)
            while true {
                switch kind {
                case .keyed:
                    guard !list.isAtEnd else { return }
                    container = try list.nestedContainer(keyedBy: Key.self)
                    list = try container.nestedUnkeyedContainer(forKey: .a)
                    depth += 2
                case .list:
                    guard !list.isAtEnd else { return }
                    list = try list.nestedUnkeyedContainer()
                    depth += 1
                case .superEncoder:
                    guard !list.isAtEnd else { return }
                    list = try list.superDecoder().unkeyedContainer()
                    depth += 1
                }
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .a)
            var level = 1
            while level < depth {
                switch kind {
                case .keyed:
                    container = list.nestedContainer(keyedBy: Key.self)
                    list = container.nestedUnkeyedContainer(forKey: .a)
                    level += 2
                case .list:
                    list = list.nestedUnkeyedContainer()
                    level += 1
                case .superEncoder:
                    list = list.superEncoder().unkeyedContainer()
                    level += 1
                }
            }
        }
    }

    /// Runs a closure on a thread with as little stack as a thread of an application has.
    private func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    @Test(arguments: Kind.allCases)
    func containersUpToTheLimitFitOnASmallStack(kind: Kind) async throws {
        let depth = try await onSmallStack {
            let graph = try RecordEncoder().encode(Deep(kind: kind, depth: 999))
            var decoder = RecordDecoder()
            decoder.userInfo[try #require(CodingUserInfoKey(rawValue: "kind"))] = kind
            return try decoder.decode(Deep.self, from: graph).depth
        }
        #expect(depth == 999)
    }

    @Test(arguments: Kind.allCases)
    func containersBeyondTheLimitAreRefused(kind: Kind) throws {
        let error = try #require(throws: RecordError.self) {
            try RecordEncoder().encode(Deep(kind: kind, depth: 100_001))
        }
        guard error.code == .depthLimitExceeded, error.limit == 1_000, case let place = error.context else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(place.codingPath.count == 1_000)
        #expect(place.record?.description == "Deep/deep")
    }
}
