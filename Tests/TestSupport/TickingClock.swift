package import Foundation

/// A clock on which every look takes a second, so that tests do not depend on how fast they run.
package final class TickingClock: Sendable {
    private let ticks = Locked(0.0)

    package init() {}

    @Sendable package func now() -> Date {
        Date(
            timeIntervalSinceReferenceDate: ticks.withLock { ticks in
                ticks += 1
                return ticks
            })
    }
}
