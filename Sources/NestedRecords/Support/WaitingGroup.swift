/// What waits for a queue, which takes all of it at a time, with the priority of the most urgent element.
package final class WaitingGroup<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var priority: TaskPriority?
    }

    private let state = Lock(State())

    package init() {}

    /// The number of elements.
    package var count: Int { state.withLock { $0.elements.count } }

    /// The priority with which the queue was asked to take the elements; nil if there are none.
    package var priority: TaskPriority? { state.withLock { $0.priority } }

    /// Adds an element.
    ///
    /// - Returns: Whether the queue must be asked to take the elements: for the first one, and for one that is more urgent than
    ///   those before it.
    package func add(_ element: Element, priority: TaskPriority) -> Bool {
        state.withLock { state in
            state.elements.append(element)
            if let asked = state.priority, asked >= priority { return false }
            state.priority = priority
            return true
        }
    }

    /// Removes all elements; none if they were taken already.
    package func takeAll() -> [Element] {
        state.withLock { state in
            defer { state = State() }
            return state.elements
        }
    }
}
