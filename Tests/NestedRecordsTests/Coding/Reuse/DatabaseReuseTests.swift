import NestedRecords
import TestSupport
import Testing

/// Calls that ask a database, among calls that need none.
@Suite(.timeLimit(.minutes(10))) struct DatabaseReuseTests {
    /// The same three types twice: what is learnt about one is not known of the other.
    enum Learnt {
        struct Root: RecordCodable, Equatable {
            static var recordType: String { "Root" }
            var recordName: String { "r" }
            var middle: Middle
            var leaves: [Leaf]
        }
        struct Middle: RecordCodable, Equatable {
            static var recordType: String { "Middle" }
            var recordName: String { "m" }
            var leaf: Leaf
            var link: RecordLink<Leaf>
        }
        struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }
    }

    enum Fresh {
        struct Root: RecordCodable, Equatable {
            static var recordType: String { "Root" }
            var recordName: String { "r" }
            var middle: Middle
            var leaves: [Leaf]
        }
        struct Middle: RecordCodable, Equatable {
            static var recordType: String { "Middle" }
            var recordName: String { "m" }
            var leaf: Leaf
            var link: RecordLink<Leaf>
        }
        struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }
    }

    private func graph() throws -> RecordGraph {
        let leaf = Learnt.Leaf(id: 1)
        let middle = Learnt.Middle(leaf: leaf, link: try RecordLink(named: "9"))
        return try RecordEncoder().encode(Learnt.Root(middle: middle, leaves: [leaf, Learnt.Leaf(id: 2)]))
    }

    @Test func decodingFromMemoryTeachesNothingAndHidesNothing() async throws {
        let graph = try graph()
        let fresh = try await CountingDatabase(holding: graph)
        let expected = try await RecordDecoder().resolve(Fresh.Root.self, from: graph.roots[0], in: fresh)

        // The keys of these types are all asked for before anything can be learnt from that.
        for _ in 0..<5 {
            #expect(try RecordDecoder().decode(Learnt.Root.self, from: graph).leaves.map(\.id) == [1, 2])
            #expect(try RecordDecoder().decodeAll(Learnt.Leaf.self, from: RecordGraph([])).isEmpty)
        }
        let database = try await CountingDatabase(holding: graph)
        let found = try await RecordDecoder().resolve(Learnt.Root.self, from: graph.roots[0], in: database)
        #expect(found.value == (try RecordDecoder().decode(Learnt.Root.self, from: graph)))
        #expect(
            found.callCount == expected.callCount && found.passCount == expected.passCount
                && found.recordCount == expected.recordCount)
        #expect(database.sortedCalls == fresh.sortedCalls)

        // Once learnt, one pass and one call for each level.
        for _ in 0..<3 {
            let again = try await RecordDecoder().resolve(Learnt.Root.self, from: graph.roots[0], in: database)
            #expect(again.passCount == 1 && again.callCount == 2 && again.recordCount == 4)
            #expect(try RecordDecoder().decode(Learnt.Root.self, from: graph) == again.value)
        }
    }

    struct Chain: RecordCodable, Identifiable, Equatable {
        var id: Int
        var next: [Chain]
    }

    private static let chain = (1..<12).reversed().reduce(Chain(id: 12, next: [])) { Chain(id: $1, next: [$0]) }

    /// Codes something in each of its answers, and waits before it gives them.
    struct BusyDatabase: RecordDatabase {
        let base = InMemoryRecordDatabase()
        let calls = Locked(0)
        let wait: @Sendable (_ call: Int) async -> Void

        init(holding chain: Chain, wait: @escaping @Sendable (_ call: Int) async -> Void) async throws {
            self.wait = wait
            try await base.save(RecordEncoder().encode(chain))
        }

        func records(for ids: [Record.ID]) async throws -> [Record] {
            let chain = Chain(id: 1, next: [Chain(id: 2, next: [])])
            let graph = try RecordEncoder().encode(chain)
            guard graph.lines == ["Chain/2 {id: 2, next: []}", "Chain/1 {id: 1, next: [→ Chain/2]}"],
                try RecordDecoder().decode(Chain.self, from: graph) == chain
            else { throw Malfunction() }
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            await wait(call)
            try Task.checkCancellation()
            return try await base.records(for: ids)
        }

        func modifyRecords(
            saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy
        ) async throws -> [Record.ID: Record.Metadata] {
            try await base.modifyRecords(saving: records, deleting: ids, savePolicy: savePolicy)
        }

        func records(ofType type: String?) -> RecordSequence { base.records(ofType: type) }
    }

    @Test func callsThatWaitForADatabaseDisturbNoOthers() async throws {
        let chain = Self.chain
        let (coded, coding) = (Locked(0), Locked(4))
        // Each answer waits until another value was coded.
        let database = try await BusyDatabase(holding: chain) { _ in
            let before = coded.withLock { $0 }
            while coded.withLock({ $0 }) == before, coding.withLock({ $0 }) > 0 { await Task.yield() }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for id in [1, 5, 12, 3] {
                        var expected = chain
                        while expected.id < id { expected = expected.next[0] }
                        let found = try await RecordDecoder().decode(Chain.self, named: "\(id)", in: database)
                        #expect(found == expected)
                    }
                }
                group.addTask {
                    defer { coding.withLock { $0 -= 1 } }
                    for id in 0..<400 {
                        let value = Chain(id: id, next: [Chain(id: -1, next: [])])
                        let graph = try RecordEncoder().encode(value)
                        #expect(try RecordDecoder().decode(Chain.self, from: graph) == value)
                        coded.withLock { $0 += 1 }
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        let callCount = database.calls.withLock { $0 }
        #expect(callCount == 4 * (12 + 8 + 1 + 10))
    }

    @Test(arguments: 1...12) func callsThatWereCancelledDisturbNoOthers(call: Int) async throws {
        let chain = Self.chain
        let (isAsked, isCancelled) = (Gate(), Gate())
        let database = try await BusyDatabase(holding: chain) {
            guard $0 == call else { return }
            isAsked.open()
            await isCancelled.wait()
        }
        let task = Task { try await RecordDecoder().decode(Chain.self, named: "1", in: database) }
        await isAsked.wait()
        task.cancel()
        isCancelled.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try RecordDecoder().decode(Chain.self, from: RecordEncoder().encode(chain)) == chain)
        #expect(try await RecordDecoder().decode(Chain.self, named: "1", in: database) == chain)
    }
}
