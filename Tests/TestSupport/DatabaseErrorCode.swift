package import NestedRecords

/// The code of the database error that a call throws; nil if it throws another one or none.
package func databaseErrorCode(
    isolation: isolated (any Actor)? = #isolation, of call: () async throws -> Void
) async -> RecordDatabaseError.Code? {
    do {
        try await call()
        return nil
    } catch {
        return (error as? RecordDatabaseError)?.code
    }
}
