import Synchronization

/// The number of event streams that are open.
final class OpenStreams: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add(_ difference: Int) { number.wrappingAdd(difference, ordering: .relaxed) }
}
