import TestSupport

/// A clock that stands still until it jumps past all deadlines.
final class StoppedClock: Clock {
    private let gate = Gate()

    let now = ContinuousClock.now

    var minimumResolution: Duration { .zero }

    func jump() { gate.open() }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        await gate.wait()
        try Task.checkCancellation()
    }
}
