import NestedRecords

/// Errors of record files.
extension RecordDatabaseError {
    /// Committed data is damaged at an offset, in bytes.
    static func corrupt(
        path: String, offset: Int, what: String, underlyingError: (any Error)? = nil
    ) -> RecordDatabaseError {
        RecordDatabaseError(.corrupt, reason: what, path: path, offset: offset, underlyingError: underlyingError)
    }

    /// The system refuses an operation with the error number `errno`.
    static func inputOutput(path: String, operation: String, errno: Int) -> RecordDatabaseError {
        RecordDatabaseError(
            .inputOutput, reason: SystemErrorCode.text(errno), path: path, operation: operation, systemCode: "\(errno)")
    }

    /// Whether the system reported this error number.
    func isSystemError(_ number: Int) -> Bool { systemCode == "\(number)" }

    /// Whether the system forbids replacing the file by another; the file itself may still be writable.
    var forbidsReplacement: Bool {
        code == .inputOutput && SystemErrorCode.noReplacement.contains(where: isSystemError)
    }
}
