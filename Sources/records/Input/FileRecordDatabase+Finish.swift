import NestedRecords
import NestedRecordsFile

extension ParsedArguments {
    /// The size from which a file is compacted without a command; smaller ones are not worth a message.
    private static let smallestCompacted = 1 << 18

    /// Ends a change: closes the database, and before that compacts a record file of which more than a third is unused.
    ///
    /// The compaction, or why it failed, is reported on standard error: the change is made in any case.
    func finish(_ database: any StoredDatabase) async throws {
        if let file = database as? FileRecordDatabase, file.replacementFailure == nil {
            let (unused, size) = file.unusedByteCount
            if size >= Self.smallestCompacted, 3 * unused > size {
                do {
                    if try await compact(file) {
                        notify("compacted \(file.path): about \(unused.grouped) of \(size.grouped) bytes were unused")
                    }
                } catch {
                    notify("warning: \(file.path) is not compacted: \(ErrorLine.text(of: error))")
                }
            }
        }
        try await database.close()
    }

    /// Compacts a file.
    ///
    /// - Returns: Whether no signal has ended it.
    func compact(_ file: FileRecordDatabase) async throws -> Bool {
        let isDone = Lock(false)
        try await showing("Compacting") {
            _ = try await Interruption.cancelling {
                try await file.compactUnlessCancelled()
                isDone.withLock { $0 = true }
            }
        }
        return isDone.withLock { $0 }
    }
}

extension FileRecordDatabase {
    /// Compacts the file; closes it if the task is cancelled, which ends the compaction and removes the copy.
    ///
    /// - Throws: `CancellationError` if the file was not compacted, and errors of ``compact()``.
    fileprivate func compactUnlessCancelled() async throws {
        do {
            try await withTaskCancellationHandler {
                _ = try await compact()
            } onCancel: {
                Task { try await close() }
            }
        } catch let error as RecordDatabaseError where error.code == .closed && Task.isCancelled {
            throw CancellationError()
        }
    }
}
