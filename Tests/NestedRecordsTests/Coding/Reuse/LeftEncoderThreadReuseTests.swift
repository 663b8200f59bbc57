import Foundation
import NestedRecords
import TestSupport
import Testing

/// What values leave of encoders may be used and let go by other threads.
@Suite(.timeLimit(.minutes(10))) struct LeftEncoderThreadReuseTests {
    private static let kinds = LeavingPart.Kind.allCases
    private static let places = Leaver.Place.allCases

    private func leaver(_ number: Int, _ name: String, _ shelf: Shelf?) -> Leaver {
        let kind = Self.kinds[number % Self.kinds.count]
        return Leaver(
            place: Self.places[number / 3 % Self.places.count],
            part: LeavingPart(kind: kind, text: "\(name)\(number)", shelf: shelf))
    }

    /// Encodes on two threads, while each of them does something with what the other one's values left.
    private func encode(
        calls: Int, _ handle: @escaping @Sendable (Leftover) -> Void
    ) async throws {
        let shelves = [Shelf(), Shelf()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (own, other) in [(0, 1), (1, 0)] {
                group.addTask {
                    for number in 0..<calls {
                        let leaver = leaver(number, "thread\(own)-", shelves[own])
                        let lines = try RecordEncoder().encode(leaver).lines
                        #expect(lines == [leaver.line])
                        for leftover in shelves[other].clear() { handle(leftover) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func otherThreadsMayWriteToWhatIsDone() async throws {
        // A shelf is filled while a value is encoded, so what is on it is handed on when the call is over.
        let done = Shelf()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for own in 0..<2 {
                group.addTask {
                    let shelf = Shelf()
                    for number in 0..<300 {
                        let leaver = leaver(number, "thread\(own)-", shelf)
                        let lines = try RecordEncoder().encode(leaver).lines
                        #expect(lines == [leaver.line])
                        for leftover in done.clear() {
                            _ = try? leftover.use("late")
                            #expect(leftover.recordID()?.name.hasPrefix("thread") != false)
                            _ = leftover.path()
                        }
                        for leftover in shelf.clear() { done.leave(leftover) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func otherThreadsMayLetGoWhileTheCallRuns() async throws {
        try await encode(calls: 300) { _ in }
    }

    @Test func otherThreadsMayLetGoOfContainersOfOneLongCall() async throws {
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
        let leavers = (0..<1_500).map { leaver($0, "long-", shelf) }
        #expect(try RecordEncoder().encode(leavers).lines == leavers.map(\.line))
        isDone.withLock { $0 = true }
        #expect(await released >= 1_500)
    }
}
