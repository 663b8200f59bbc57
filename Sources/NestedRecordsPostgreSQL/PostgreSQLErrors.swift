#if PostgreSQL
public import NestedRecords

extension RecordDatabaseError {
    /// The batch whose outcome is unknown; ``PostgreSQLRecordDatabase/outcome(of:)`` finds it out.
    public var commit: PostgreSQLCommit? { commitID.flatMap { PostgreSQLCommit($0) } }
}

/// Errors of databases on a server.
extension RecordDatabaseError {
    /// The server refused a statement.
    ///
    /// - Parameters:
    ///   - sqlState: The five characters by which PostgreSQL identifies an error, such as `57014`.
    ///   - message: The server's message.
    ///   - hint: The hint of the server, or nil.
    ///   - purpose: The purpose of the statement.
    static func refused(sqlState: String, message: String, hint: String?, purpose: String) -> RecordDatabaseError {
        // A server that is starting or stopping, a lock that was not available, a deadlock, a statement that took too
        // long, and a lack of memory, disk or connections.
        let isTransient = ["08", "40", "53", "57P", "55P03", "57014"].contains { sqlState.utf8.starts(with: $0.utf8) }
        return RecordDatabaseError(
            .refused, reason: message, operation: purpose, systemCode: sqlState, hint: hint, isTransient: isTransient)
    }

    /// The row of a record is damaged.
    static func damaged(_ id: Record.ID, what: String, underlyingError: (any Error)? = nil) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt, reason: "its row has \(what)", recordID: id,
            hint: "delete the record with a RecordBatch, or overwrite it", underlyingError: underlyingError)
    }

    /// The ID in a row is not valid.
    static func damagedID(
        type: String, name: String, in tables: Tables, _ underlyingError: any Error
    ) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt,
            reason: "the row with the type \(type.debugDescription) and the name \(name.debugDescription) has no ID",
            hint: "remove the row with the SQL statement: " + tables.removal(type: type, name: name),
            underlyingError: underlyingError)
    }

    /// The connection was lost while the server saved.
    static func unknownOutcome(of commit: PostgreSQLCommit, _ loss: RecordDatabaseError) -> RecordDatabaseError {
        RecordDatabaseError(
            .unknownOutcome, operation: loss.operation, commitID: "\(commit)", underlyingError: loss)
    }

    /// Whether the server ends the connection with this error.
    var endsConnection: Bool { systemCode.map { ["57P01", "57P02", "57P03", "57P05"].contains($0) } ?? false }

    /// Whether the server has cancelled the statement on request.
    var isCancellation: Bool { systemCode == "57014" }

    /// Whether the transaction conflicted with other writers, so that a retry may succeed at once.
    var isSerializationFailure: Bool { systemCode == "40001" || systemCode == "40P01" }

    /// Whether a condition in the statement did not hold.
    var isUnmetCondition: Bool { systemCode == "22012" }

    /// Whether a table, a column or a schema is missing.
    var isMissingTable: Bool { systemCode.map { ["42P01", "3F000", "42703"].contains($0) } ?? false }

    /// Whether the server, or the user's rights on it, allow only reading.
    var forbidsWriting: Bool { systemCode == "25006" || systemCode == "42501" }
}
#endif
