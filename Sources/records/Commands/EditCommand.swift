import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Command {
    /// Edits a record in a text editor.
    static let edit = Command(
        name: "edit",
        summary: "Edits the fields of a record in a text editor",
        discussion: """
            The editor is that of VISUAL or EDITOR, otherwise vi. The text is the fields as typed JSON, one on a line. \
            If the text is no JSON, or another program has saved the record in between, you are shown what is wrong, \
            and can edit again: nothing that you have written is lost.
            """,
        examples: [Example("records edit school.records Person/ada", "One record, in the editor of VISUAL or EDITOR")],
        arguments: [.database, Argument("ID", "The record's type and name: Person/ada.", kind: .id)]
    ) { arguments in
        let (id, console) = (try arguments.id(arguments.text("ID")), arguments.console)
        let database = try await arguments.existingDatabase()
        guard var record = try await database.recordsByID(for: [id])[id] else {
            throw try await RecordInput(database, named: ServerAddress.shown(arguments.text("FILE"))).missing([id])
        }
        let editor = try TextEditor(record.editableText, name: id.type)
        while true {
            let bytes = try editor.edit()
            do {
                let fields = try Record.Fields(editableText: bytes, of: id)
                var edited = record
                edited.fields = fields
                if try edited.difference(from: record) == nil {
                    console.statusLine.print("nothing is changed")
                } else {
                    _ = try await database.commit(RecordBatch(saving: [edited], savePolicy: .ifUnchanged))
                    let text = try edited.difference(from: record)?.text(within: console.outputTerminal.width) ?? ""
                    try console.output.write(text)
                }
                editor.remove()
                try await database.close()
                return .done
            } catch let error as InputError {
                console.statusLine.print("\(error)".visible)
            } catch let error as RecordDatabaseError where error.kind == .conflict {
                guard let saved = try await database.recordsByID(for: [id])[id] else { throw editor.kept(error) }
                let before = record
                console.statusLine.print("\(id) was saved by another program in between:")
                console.statusLine.print(try Self.sides(before, saved, bytes, console))
                record = saved
            } catch let error as RecordDatabaseError {
                throw editor.kept(error)
            }
            guard console.canAsk, console.isConfirmed("Edit your text again?") else {
                throw InputError(input: editor.path, reason: "nothing is saved, and your text stays in this file")
            }
        }
    }

    /// The fields that both changed or one of them, side by side.
    private static func sides(_ before: Record, _ saved: Record, _ text: [UInt8], _ console: Console) throws -> String {
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
        let lines = fields.map { field in
            var writer = JSONWriter()
            writer.write(typed: .string(field.name))
            return "  \(String(decoding: writer.bytes, as: UTF8.self)): \(field.value.typedText)"
        }
        return "{\n\(lines.joined(separator: ",\n"))\n}\n"
    }

    /// The changed fields; nil if there are none.
    fileprivate func difference(from old: Record) throws -> RecordDifference? {
        let difference = try RecordGraph([self], roots: []).difference(from: RecordGraph([old], roots: []))
        return difference.changed.first.map { .changed(id, fields: $0.fields, metadata: []) }
    }
}

extension Record.Fields {
    /// Reads fields that a user edited.
    ///
    /// - Throws: ``InputError``.
    fileprivate init(editableText text: [UInt8], of id: Record.ID) throws {
        do {
            // On one line, as the reader of records needs it.
            let json = try JSONTree(text)
            guard !json.isLines, json.kind(of: 1) == .object else {
                throw JSONError(reason: "expected an object with the fields", place: json.place(of: 1))
            }
            var writer = JSONWriter()
            writer.write(typed: .string("\(id)"))
            let line = "{\"id\":\(String(decoding: writer.bytes, as: UTF8.self)),\"fields\":\(json.json(of: 1))}\n"
            var reader = RecordLineReader(Array(line.utf8))
            guard let record = try reader.next() else {
                throw JSONError(reason: "expected an object with the fields", place: json.place(of: 1))
            }
            self = record.fields
        } catch let error as JSONError {
            throw InputError(input: "the text", reason: "\(error)")
        } catch let error as RecordFormatError {
            throw InputError(input: "the text", reason: "\(error)")
        }
    }
}
