/// Elements that wait for a queue, which takes all of them at a time, with the priority of the most urgent.
package final class WaitingGroup<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var priority: TaskPriority?
    }

    private let state = Lock(State())

    package init() {}

    package var count: Int { state.withLock { $0.elements.count } }

    /// The priority of the last request to the queue; nil if no elements wait.
    package var priority: TaskPriority? { state.withLock { $0.priority } }

    /// Adds an element; returns whether the caller must send a request to the queue: for the first element, and for one
    /// more urgent than those before.
    package func add(_ element: Element, priority: TaskPriority) -> Bool {
        state.withLock { state in
            state.elements.append(element)
            if let asked = state.priority, asked >= priority { return false }
            state.priority = priority
            return true
        }
    }

    /// Removes all elements; returns none if they were taken already.
    package func takeAll() -> [Element] {
        state.withLock { state in
            defer { state = State() }
            return state.elements
        }
    }
}
