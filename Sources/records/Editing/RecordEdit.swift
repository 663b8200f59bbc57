import Foundation
@_spi(Engines) import NestedRecords

/// The edit of a record in the user's text editor.
struct RecordEdit: Sendable {
    let id: Record.ID

    /// The database to read from.
    let input: RecordInput
    let console: Console

    /// Opens the database for writing; called for each attempt to save, so that others can write before it.
    let open: @Sendable () async throws -> UndoRecorder

    /// Runs the editor until the text is saved, or the user gives up.
    ///
    /// - Returns: What the user changed, and the database with the step to undo it; nil if nothing is changed.
    /// - Throws: ``InputError`` with the file that keeps the text, and errors of the database.
    func run() async throws -> (RecordDifference, UndoRecorder)? {
        let database = try input.database()
        guard var record = try await database.recordsByID(for: [id])[id] else { throw try await input.missing([id]) }
        let editor = try TextEditor(record.editableText, name: id.type)
        while true {
            let bytes = try editor.edit()
            do {
                var edited = record
                edited.fields = try Record.Fields(editableText: bytes, of: id)
                guard let difference = try edited.difference(from: record) else {
                    editor.remove()
                    return nil
                }
                try DocumentRecord.check([edited], of: Record.Fields.editableName)
                let database = try await save(edited)
                editor.remove()
                return (difference, database)
            } catch let error as InputError where error.input == Record.Fields.editableName {
                console.statusLine.print("\(error)".visible)
            } catch let error as RecordDatabaseError where error.kind == .conflict {
                guard let saved = try await database.recordsByID(for: [id])[id] else { throw editor.kept(error) }
                console.statusLine.print("\(id) was saved by another program in between:".visible)
                console.statusLine.print(try sides(record, saved, bytes))
                record = saved
            } catch {
                throw editor.kept(error)
            }
            guard console.canAsk, console.isConfirmed("Edit your text again?") else {
                throw InputError(input: editor.path, reason: "nothing is saved, and your text stays in this file")
            }
        }
    }

    private func save(_ record: Record) async throws -> UndoRecorder {
        let database = try await open()
        do {
            _ = try await database.commit(RecordBatch(saving: [record], savePolicy: .ifUnchanged))
        } catch {
            try? await database.close()
            throw error
        }
        try await database.close()
        return database
    }

    /// The fields that both changed or one of them, side by side.
    private func sides(_ before: Record, _ saved: Record, _ text: [UInt8]) throws -> String {
        let fields = try Record.Fields(editableText: text, of: before.id)
        var table = Table(header: ["field", "before", "saved", "yours"], terminal: console.statusLine.terminal)
        var lines = ""
        let names = [before.fields, saved.fields, fields].flatMap { $0.map(\.name) }.uniqued()
        for name in names {
            let values = [before[name], saved[name], fields[name]]
            guard values[0] != values[1] || values[0] != values[2] else { continue }
            lines += try table.add([Table.Cell.text(name)] + values.map { .text($0?.typedText ?? "") })
        }
        return lines + table.finish()
    }
}

extension Record {
    /// The fields as typed JSON, one on a line.
    fileprivate var editableText: String {
        let lines = fields.map { "  \(Record.Value.string($0.name).typedText): \($0.value.typedText)" }
        return "{\n\(lines.joined(separator: ",\n"))\n}\n"
    }

    /// The changed fields; nil if there are none.
    fileprivate func difference(from old: Record) throws -> RecordDifference? {
        let difference = try RecordGraph([self], roots: []).difference(from: RecordGraph([old], roots: []))
        return difference.changes.first.map { .changed(id, fields: $0.fields, metadata: []) }
    }
}

extension Record.Fields {
    /// The name of an edited text in errors.
    fileprivate static let editableName = "the text"

    /// Reads fields that a user edited.
    fileprivate init(editableText text: [UInt8], of id: Record.ID) throws {
        do {
            // On one line, as the reader of records needs it.
            let json = try JSONTree(text)
            guard !json.isLines, json.kind(of: 1) == .object else {
                throw JSONError(reason: "expected an object with the fields", place: json.place(of: 1))
            }
            let line = "{\"id\":\(Record.Value.string("\(id)").typedText),\"fields\":\(json.json(of: 1))}\n"
            var reader = RecordLineReader(Array(line.utf8))
            guard let record = try reader.next() else {
                throw JSONError(reason: "expected an object with the fields", place: json.place(of: 1))
            }
            self = record.fields
        } catch let error as JSONError {
            throw InputError(input: Self.editableName, reason: "\(error)")
        } catch let error as RecordFormatError {
            throw InputError(input: Self.editableName, reason: "\(error)")
        }
    }
}
