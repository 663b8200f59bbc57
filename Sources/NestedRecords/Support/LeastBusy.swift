/// A pool of elements that serve calls; the one with the fewest open calls takes the next.
package final class LeastBusy<Element: Sendable>: Sendable {
    package let elements: [Element]
    private let callCounts: Lock<[Int]>

    package init(_ elements: [Element]) {
        self.elements = elements
        callCounts = Lock(Array(repeating: 0, count: elements.count))
    }

    /// Runs the closure with an element, and with whether that element serves no other call.
    package func run<Success: Sendable>(
        _ body: (Element, _ isIdle: Bool) async throws -> Success
    ) async throws -> Success {
        try Task.checkCancellation()
        let (number, isIdle) = callCounts.withLock { counts in
            let number = counts.indices.min { counts[$0] < counts[$1] } ?? 0
            counts[number] += 1
            return (number, counts[number] == 1)
        }
        defer { callCounts.withLock { $0[number] -= 1 } }
        return try await body(elements[number], isIdle)
    }
}
