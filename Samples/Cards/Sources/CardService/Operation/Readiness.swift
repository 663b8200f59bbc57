/// Whether the database answers in time; requests at the same time share one question to it.
actor Readiness {
    private let access: Access
    private let timeLimit: Duration
    private var running: Task<Bool, Never>?

    init(_ access: Access, timeLimit: Duration) { (self.access, self.timeLimit) = (access, timeLimit) }

    var isReady: Bool {
        get async {
            if let running { return await running.value }
            let question = Task { [access] in (try? await access.check()) != nil }
            // The answer is awaited here, not the question: a database may not react to a cancellation.
            let task = Task { [timeLimit] in
                let (answers, source) = AsyncStream<Bool>.makeStream()
                Task { source.yield(await question.value) }
                let limit = Task {
                    try await Task.sleep(for: timeLimit)
                    question.cancel()
                    source.yield(false)
                }
                defer { limit.cancel() }
                return await answers.first { _ in true } ?? false
            }
            running = task
            defer { running = nil }
            return await task.value
        }
    }
}
