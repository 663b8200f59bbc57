import NestedRecords

extension Command {
    /// Edits a record in a text editor.
    static let edit = Command(
        name: "edit",
        summary: "Edits the fields of a record in a text editor",
        discussion: """
            The editor is that of VISUAL or EDITOR, otherwise vi. The text is the fields as typed JSON, one on a line. \
            If the text is not JSON, or another program has saved the record in between, you are shown what is wrong, \
            and can edit again: nothing that you have written is lost.
            """,
        examples: [Example("records edit school.records Person/ada", "One record, in the editor of VISUAL or EDITOR")],
        arguments: [.database, Argument("ID", "The record's type and name: Person/ada.", kind: .id)],
        options: [.noUndo]
    ) { arguments in
        let (id, console) = (try arguments.id(arguments.text("ID")), arguments.console)
        let path = try arguments.pathOfRecordFile("FILE")
        let input = try await arguments.databaseInput()
        let edit = RecordEdit(id: id, input: input, console: console) {
            try await arguments.undoable(arguments.openForWriting(path))
        }
        if let (difference, database) = try await edit.run() {
            try console.output.write(difference.text(within: console.outputTerminal.width))
            try arguments.printUndo(of: database)
        } else {
            console.statusLine.print("nothing is changed")
        }
        return .done
    }
}
