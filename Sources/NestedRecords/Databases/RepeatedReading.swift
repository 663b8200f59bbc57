/// Calls the closure again a few times if the database refuses it for now, or its connection is lost.
///
/// For a read within another call, which a ``RecordStore`` cannot repeat alone; the closure must not write.
package func repeatingRead<Result>(_ body: () async throws -> Result) async throws -> Result {
    var pause = Duration.milliseconds(20)
    for _ in 1..<8 {
        do {
            return try await body()
        } catch let error as RecordDatabaseError where error.isTransient {
            // The caller decides about a long time.
            if let time = error.retryAfter, time > .seconds(10) { throw error }
            try await Task.sleep(for: max(pause, error.retryAfter ?? .zero))
            pause = min(pause * 2, .seconds(2))
        }
    }
    return try await body()
}
