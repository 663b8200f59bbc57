import NestedRecords

/// What goes wrong with a record file.
extension RecordDatabaseError {
    /// Committed data is damaged at an offset, in bytes.
    static func corrupt(
        path: String, offset: Int, what: String, underlyingError: (any Error)? = nil
    ) -> RecordDatabaseError {
        RecordDatabaseError(.corrupt, reason: what, path: path, offset: offset, underlyingError: underlyingError)
    }

    /// The system refuses an operation, with its number of the error (`errno`).
    static func inputOutput(path: String, operation: String, errno: Int) -> RecordDatabaseError {
        RecordDatabaseError(
            .inputOutput, reason: SystemErrorCode.text(errno), path: path, operation: operation, systemCode: "\(errno)")
    }

    /// Whether the system refused something with this number.
    func isSystemError(_ number: Int) -> Bool { systemCode == "\(number)" }

    /// Whether the system forbids to replace a file by another one; the file itself may be written all the same.
    var forbidsReplacement: Bool {
        code == .inputOutput && SystemErrorCode.noReplacement.contains(where: isSystemError)
    }
}
