import NestedRecords
import TestSupport
import Testing

/// What values keep of decoders may be used and let go by other threads.
@Suite(.timeLimit(.minutes(10))) struct LeftDecoderThreadReuseTests {
    private static let kinds = LazyPart.Kind.allCases

    private func decode(_ number: Int, _ name: String, _ shelf: Shelf) throws -> String {
        let kind = Self.kinds[number % Self.kinds.count]
        let place = [Leaver.Place.record, .field, .element][number / 5 % 3]
        let graph = try LazyReader.graph(kind, place, name)
        return try LazyPart.$kind.withValue(kind) {
            try LazyPart.$shelf.withValue(shelf) { try RecordDecoder().decode(LazyReader.self, from: graph).text }
        }
    }

    /// Decodes on two threads, each of which takes what the other one's finished calls left.
    private func decode(calls: Int, _ handle: @escaping @Sendable (Leftover) throws -> Void) async throws {
        let done = Shelf()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for own in 0..<2 {
                group.addTask {
                    let shelf = Shelf()
                    for number in 0..<calls {
                        let name = "thread\(own)-\(number)"
                        let text = try decode(number, name, shelf)
                        #expect(text == name)
                        for leftover in done.clear() { try handle(leftover) }
                        for leftover in shelf.clear() { done.leave(leftover) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func otherThreadsMayReadWhatIsDone() async throws {
        try await decode(calls: 300) { leftover in
            let name = try leftover.use("")
            #expect(leftover.recordID()?.name == name)
            #expect(leftover.path().allSatisfy { $0 == name || $0 == "Index 0" })
        }
    }

    @Test func otherThreadsMayLetGo() async throws {
        try await decode(calls: 300) { _ in }
    }

    @Test func otherThreadsMayLetGoWhileTheCallRuns() async throws {
        let shelf = Shelf()
        let isDone = Locked(false)
        async let released = Task.detached {
            var count = 0
            while !isDone.withLock({ $0 }) {
                count += shelf.clear().count
                await Task.yield()
            }
            return count + shelf.clear().count
        }.value
        for number in 0..<600 {
            let text = try decode(number, "n\(number)", shelf)
            #expect(text == "n\(number)")
        }
        isDone.withLock { $0 = true }
        #expect(await released == 600)
    }
}
