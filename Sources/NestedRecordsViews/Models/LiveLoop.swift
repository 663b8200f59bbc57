import NestedRecords
import Observation

/// Reads the snapshots of a live value or query for a model, which it does not keep in memory.
@MainActor @Observable
final class LiveLoop {
    /// Whether the first snapshot since the last start is missing.
    private(set) var isLoading = true

    /// The error of the last snapshot, or the one that has ended the loop.
    private(set) var error: (any Error)?

    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var waiting: [AsyncStream<Never>.Continuation] = []

    deinit { task?.cancel() }

    /// Begins to read; the loop of before ends.
    ///
    /// - Parameters:
    ///   - sequence: The snapshots.
    ///   - show: Shows each value. It must not hold the model.
    func start<Value: Sendable>(
        _ sequence: DatabaseSequence<Snapshot<Value>>, _ show: @escaping @MainActor (Value) -> Void
    ) {
        task?.cancel()
        if !isLoading { isLoading = true }
        task = Task { [weak self] in
            do {
                try await forEach(sequence) { [weak self] snapshot in
                    if !Task.isCancelled { self?.receive(snapshot.result.map(show)) }
                }
            } catch {
                self?.receive(.failure(error))
            }
        }
    }

    /// Ends since the view does not have a store.
    ///
    /// A view may say so each time that it is drawn.
    func endWithoutStore() {
        if error is MissingRecordStore { return }
        task?.cancel()
        error = MissingRecordStore()
        finishLoading()
    }

    /// Returns when the first snapshot since the last start, or its error, is shown, or when the caller is cancelled.
    func waitUntilLoaded() async {
        guard isLoading else { return }
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        waiting.append(continuation)
        for await _ in stream {}
    }

    private func receive(_ result: Result<Void, any Error>) {
        if Task.isCancelled { return }
        switch result {
        case .success: if error != nil { error = nil }
        case .failure(let new): error = new
        }
        finishLoading()
    }

    private func finishLoading() {
        if isLoading { isLoading = false }
        for continuation in waiting { continuation.finish() }
        waiting = []
    }
}

/// Calls a closure on the main actor for each element, which is read elsewhere.
private func forEach<Element: Sendable>(
    _ sequence: DatabaseSequence<Element>, _ body: @MainActor (Element) -> Void
) async throws {
    for try await element in sequence { await body(element) }
}
