import NestedRecords

extension RecordDatabaseError {
    static func inputOutput(path: String, operation: String, errno: Int) -> RecordDatabaseError {
        RecordDatabaseError(
            .inputOutput, reason: SystemErrorCode.text(errno), path: path, operation: operation, systemCode: "\(errno)")
    }

    func isSystemError(_ number: Int) -> Bool { systemCode == "\(number)" }

    /// Whether the system forbids replacing the file by another; the file itself may still be writable.
    var forbidsReplacement: Bool {
        code == .inputOutput && SystemErrorCode.noReplacement.contains(where: isSystemError)
    }
}
