import NestedRecords

/// Errors of record files.
extension RecordDatabaseError {
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
