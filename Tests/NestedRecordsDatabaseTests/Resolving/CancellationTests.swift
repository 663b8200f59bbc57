import TestSupport
import Testing

@testable import NestedRecords

@Suite(.timeLimit(.minutes(60))) struct CancellationTests {
    struct Link: RecordCodable, Identifiable {
        var id: Int
        var next: [Link]
    }

    private func makeGraph() throws -> RecordGraph {
        try RecordEncoder().encode((1...5).reversed().reduce(Link(id: 6, next: [])) { Link(id: $1, next: [$0]) })
    }

    @Test func cancelledTaskDoesNotAskTheDatabase() async throws {
        let database = try await CountingDatabase(holding: makeGraph())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await RecordDecoder().decode(Link.self, named: "1", in: database)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.calls.isEmpty)
    }

    @Test(arguments: [1, 3]) func cancellationDuringACallEndsBeforeTheNext(call: Int) async throws {
        let last = try Record.ID("Link/\(call)")
        let database = try await CountingDatabase(holding: makeGraph()) { ids, answer in
            if ids.contains(last) { withUnsafeCurrentTask { $0?.cancel() } }
            return answer
        }
        let task = Task { _ = try await RecordDecoder().decode(Link.self, named: "1", in: database) }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.calls.count == call)
    }

    @Test func cancellationBetweenTheBatchesOfALevelEndsBeforeTheNext() async throws {
        let second = try Record.ID("Link/2")
        let root = Link(id: 1, next: [Link(id: 2, next: []), Link(id: 3, next: []), Link(id: 4, next: [])])
        let database = try await CountingDatabase(holding: RecordEncoder().encode(root), batchLimit: 1) { ids, answer in
            if ids.contains(second) { withUnsafeCurrentTask { $0?.cancel() } }
            return answer
        }
        let task = Task { _ = try await RecordDecoder().decode(Link.self, named: "1", in: database) }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.asked == ["Link/1", "Link/2"])
    }

    @Test func databaseThatIsCancelledIsNotAFailedFetch() async throws {
        let database = try await CountingDatabase(holding: []) { _, _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) {
            try await RecordDecoder().decode(Link.self, named: "1", in: database)
        }
    }

    @Test(arguments: [false, true]) func cancellationEndsADecodingThatHasBegun(catchesErrors: Bool) async throws {
        let leaves = (1...5_000).map { Leaf(id: $0) }
        let database = try await CountingDatabase(holding: RecordEncoder().encode(Tree(id: 0, leaves: leaves)))
        let count = Locked(0)
        let decoder: RecordDecoder = {
            var decoder = RecordDecoder()
            decoder.coding.userInfo[.count] = count
            decoder.coding.userInfo[.catchesErrors] = catchesErrors
            return decoder
        }()
        let task = Task { _ = try await decoder.decode(Tree.self, named: 0, in: database) }
        await #expect(throws: CancellationError.self) { try await task.value }
        if !catchesErrors { #expect((10..<5_000).contains(count.withLock { $0 })) }
    }

    /// Cancels its task when the tenth one is decoded.
    private struct Leaf: RecordCodable, Identifiable {
        var id: Int

        enum CodingKeys: CodingKey { case id }

        init(id: Int) { self.id = id }

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
            let count = decoder.userInfo[.count] as? Locked<Int>
            let isTenth = count?.withLock { count in
                count += 1
                return count == 10
            }
            if isTenth == true { withUnsafeCurrentTask { $0?.cancel() } }
        }
    }

    private struct Tree: RecordCodable, Identifiable {
        var id: Int
        var leaves: [Leaf]

        enum CodingKeys: CodingKey { case id, leaves }

        init(id: Int, leaves: [Leaf]) {
            self.id = id
            self.leaves = leaves
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            leaves = []
            if decoder.userInfo[.catchesErrors] as? Bool == true {
                var elements = try container.nestedUnkeyedContainer(forKey: .leaves)
                while !elements.isAtEnd {
                    if let leaf = try? Leaf(from: elements.superDecoder()) { leaves.append(leaf) }
                }
            } else {
                leaves = try container.decode([Leaf].self, forKey: .leaves)
            }
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let count = CodingUserInfoKey(rawValue: "count").unsafelyUnwrapped
    fileprivate static let catchesErrors = CodingUserInfoKey(rawValue: "catchesErrors").unsafelyUnwrapped
}
