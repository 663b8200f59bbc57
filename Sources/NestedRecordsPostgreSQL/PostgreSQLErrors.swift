#if PostgreSQL
@_spi(Engines) import NestedRecords

extension RecordDatabaseError {
    /// The beginnings of the messages of Citus about a connection to a worker that was lost in a transaction.
    ///
    /// It reports them as internal errors, mostly with the words of its own client library.
    private static let lostWorkerMessages = [
        "failure on connection marked as essential", "server closed the connection unexpectedly",
        "SSL SYSCALL error", "SSL connection has been closed unexpectedly", "could not receive data from server",
        "could not send data to server",
    ]

    /// - Parameter sqlState: The five characters by which PostgreSQL identifies an error, such as `57014`.
    static func refused(sqlState: String, message: String, hint: String?, purpose: String) -> RecordDatabaseError {
        // A server that is starting or stopping, a lock that was not available, a deadlock, a statement that took too
        // long, a lack of memory, disk or connections, and a worker that Citus cannot reach.
        let states = ["08", "40", "53", "57P", "55P03", "57014", "58030"]
        let isTransient =
            states.contains { sqlState.utf8.starts(with: $0.utf8) }
            || sqlState == "XX000" && lostWorkerMessages.contains { message.utf8.starts(with: $0.utf8) }
        return RecordDatabaseError(
            .refused, .system(operation: purpose, code: sqlState), reason: message, hint: hint,
            isTransient: isTransient)
    }

    static func damaged(_ id: Record.ID, what: String, underlyingError: (any Error)? = nil) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt, reason: "its row has \(what)", recordID: id,
            hint: "delete the record with a RecordBatch, or overwrite it", underlyingError: underlyingError)
    }

    static func damagedID(
        type: String, name: String, in tables: Tables, _ underlyingError: any Error
    ) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt,
            reason: "the row with the type \(type.debugDescription) and the name \(name.debugDescription) has no ID",
            hint: "remove the row with the SQL statement: " + tables.removal(type: type, name: name),
            underlyingError: underlyingError)
    }

    static func differingFields(of id: Record.ID, in tables: Tables) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt, reason: "the column fields of its row is not that of the body", recordID: id,
            hint: "execute the SQL statement, and call prepare(): " + tables.fieldsRemoval(id))
    }

    static func differingKeys(of id: Record.ID, in tables: Tables) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt, reason: "the keys of its row are not those of the record in the declared indexes", recordID: id,
            hint: "save the record, or execute the SQL statement, and call prepare(): " + tables.indexRenewal)
    }

    static func differingEntries(of id: Record.ID) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt, reason: "its audience values are not those of the record", recordID: id,
            hint: "save the record, or declare the audience of its type again after removing it")
    }

    var endsConnection: Bool { systemCode.map { ["57P01", "57P02", "57P03", "57P05"].contains($0) } ?? false }

    var isCancellation: Bool { systemCode == "57014" }
    var isSerializationFailure: Bool { systemCode == "40001" || systemCode == "40P01" }
    var isUnmetCondition: Bool { systemCode == "22012" }

    /// Whether the token of a batch is taken: only the table of batches has a key that is not replaced.
    var isTakenToken: Bool { systemCode == "23505" }

    var isMissingTable: Bool { systemCode.map { ["42P01", "3F000", "42703"].contains($0) } ?? false }

    var forbidsWriting: Bool { systemCode == "25006" || systemCode == "42501" }
}
#endif
