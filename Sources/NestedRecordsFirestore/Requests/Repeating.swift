import NestedRecords

/// Calls the closure again a few times if it only reads, and its connection was lost or Firestore refused it for now.
///
/// For a read within another call, which a `RecordStore` cannot repeat alone.
func repeating<Result>(_ body: () async throws -> Result) async throws -> Result {
    var pause = Duration.milliseconds(20)
    for _ in 1..<8 {
        do {
            return try await reportingFailures(body)
        } catch let error as RecordDatabaseError where error.isTransient {
            try await Task.sleep(for: max(pause, min(error.retryAfter ?? .zero, .seconds(10))))
            pause = min(pause * 2, .seconds(2))
        }
    }
    return try await reportingFailures(body)
}
