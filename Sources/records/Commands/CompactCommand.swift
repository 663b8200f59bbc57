import NestedRecords
import NestedRecordsFile

extension Command {
    /// Makes a record file smaller.
    static let compact = Command(
        name: "compact",
        summary: "Reclaims unused space in a record file",
        discussion: """
            Writes the newest version of every record to a new file, then replaces the old file with it. The old file
            does not change before that: if the command is interrupted, the file is as it was, and the unfinished copy
            is removed. The copy of a killed process, FILE.compacting-*, is removed by the next compaction. No other process
            may have the file open for writing; readers are not disturbed. A file that cannot be replaced, because it is a mount point or its folder is sticky, is not
            compacted; 'records copy' makes a compacted copy of it.

            The new file has a saved index, so a file without unused space can become larger.

            With --forget, nothing of deleted records and former contents stays in the file: neither the steps of 'records
            undo', nor the IDs of deleted records that 'log' and 'sync' read. 'records assets collect' removes contents.
            """,
        examples: [Example("records compact school.records", "Make a file as small as possible")],
        arguments: [.recordFile],
        options: [.flag("forget", nil, "Also remove the steps of 'undo', and the IDs of deleted records.")]
    ) { arguments in
        let path = try arguments.pathOfRecordFile("FILE")
        // Opening a file for writing creates it if it does not exist.
        let refusal = InputError(input: path, reason: "is not a record file; only record files are compacted")
        guard case .database(let reader) = try await RecordInput(path).source, reader is FileRecordDatabase else {
            throw refusal
        }
        let before = try size(of: path)
        guard var database = try await arguments.openForWriting(path, warns: false) as? FileRecordDatabase else {
            throw refusal
        }
        let forgets = try arguments.flag("forget")
        if forgets {
            try await database.commit(UndoStep.removal(of: database))
            try await database.close()
            var options = FileRecordDatabase.Options()
            options.maximumDeletionCount = 0
            database = try FileRecordDatabase(path: path, options: options)
        }
        let isDone = try await arguments.compact(database)
        try await database.close()
        guard isDone else {
            let state = forgets ? "has no steps to undo" : "is as it was"
            arguments.notify("interrupted; \(path) \(state), and the unfinished copy is removed")
            return .interrupted
        }
        let after = try size(of: path)
        let share = before > 0 ? Int((Double(before - after) / Double(before) * 100).rounded()) : 0
        let change =
            after > before
            ? "nothing reclaimed, \((after - before).grouped) bytes added"
            : "\((before - after).grouped) bytes reclaimed (\(share)%)"
        try arguments.console.output.write(
            "\(path.visible): \(change), \(before.grouped) before, \(after.grouped) after\n")
        return .done
    }

    /// The size of a file.
    private static func size(of path: String) throws -> Int {
        guard let size = try OpenFile(path).size else {
            throw InputError(input: path, reason: "is not a regular file, and has no size")
        }
        return size
    }
}
