@_spi(Engines) import NestedRecords

extension RecordDatabaseError {
    static func inputOutput(path: String, operation: String, errno: Int) -> RecordDatabaseError {
        RecordDatabaseError(
            .inputOutput, .system(operation: operation, code: "\(errno)"), reason: SystemErrorCode.text(errno),
            path: path)
    }

    func isSystemError(_ number: Int) -> Bool { systemCode == "\(number)" }

    /// Whether the contents of the file are the reason, so that reading it again finds the same.
    var isDamage: Bool { [.corrupt, .notARecordDatabase, .unsupportedVersion].contains(code) }

    /// Whether the system forbids replacing the file by another; the file itself may still be writable.
    var forbidsReplacement: Bool {
        code == .inputOutput && SystemErrorCode.noReplacement.contains(where: isSystemError)
    }
}
