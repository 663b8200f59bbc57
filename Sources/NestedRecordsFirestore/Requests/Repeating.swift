import NestedRecords

/// Calls the closure again a few times if it only reads, and its connection was lost or Firestore refused it for now.
func repeating<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await repeatingRead { try await reportingFailures(body) }
}
