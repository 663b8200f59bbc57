import Observation
import TestSupport

/// Counts how often a view that reads these properties would be drawn again.
@MainActor final class Invalidations {
    private(set) var count = 0
    private let read: @MainActor () -> Void

    init(of read: @escaping @MainActor () -> Void) {
        self.read = read
        track()
    }

    private func track() {
        withObservationTracking(read) { [weak self] in
            // The change comes after this call.
            Task { @MainActor in
                self?.count += 1
                self?.track()
            }
        }
    }

    /// Lets the tasks run that count.
    func settled() async -> Int {
        for _ in 0..<20 { await Task.yield() }
        return count
    }
}

/// Waits until a condition about models holds.
@MainActor func shown(_ problem: String = "it is not shown", _ condition: @MainActor () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(1_800)
    while !condition() {
        if ContinuousClock.now > end { throw NotShown(problem: problem) }
        try await Task.sleep(for: .milliseconds(1))
    }
}

struct NotShown: Error { let problem: String }

/// A reference that does not hold its object; `weak let` is new in Swift 6.2.
final class Weak<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object?) { self.object = object }
}
