import Foundation

/// Waits until a condition holds, for which there is no other sign.
///
/// - Parameters:
///   - problem: What the error says if it does not.
///   - condition: Asked from time to time.
/// - Throws: ``Overdue`` after half an hour.
package func waitUntil(
    _ problem: @autoclosure () -> String = "it has not happened", _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + Overdue.limit
    while try await !condition() {
        if ContinuousClock.now > end { throw Overdue(description: problem()) }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Blocks the thread until a condition holds.
package func blockUntil(
    _ problem: @autoclosure () -> String = "it has not happened", _ condition: () throws -> Bool
) throws {
    let end = ContinuousClock.now + Overdue.limit
    while try !condition() {
        if ContinuousClock.now > end { throw Overdue(description: problem()) }
        Thread.sleep(forTimeInterval: 0.001)
    }
}

/// That a condition did not hold for a long time.
package struct Overdue: Error, CustomStringConvertible {
    package let description: String

    /// Many times as long as all tests together take on a busy machine: thousands of tests run at once, and each waits for
    /// the others' steps.
    static let limit = Duration.seconds(1_800)
}
