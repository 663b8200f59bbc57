import Foundation
import NestedRecords

/// A text in a file that the user's editor changes.
struct TextEditor {
    /// The command of the editor, with its options.
    private let command: String
    let path: String

    /// The text before the first edit.
    private let original: String

    /// Writes a text to a new file.
    ///
    /// The editor is that of the environment: `VISUAL`, else `EDITOR`, else `vi`.
    ///
    /// - Throws: ``InputError`` if the file cannot be written.
    init(_ text: String, name: String, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        command = [environment["VISUAL"], environment["EDITOR"]].compactMap(\.self).first { !$0.isEmpty } ?? "vi"
        let folder = environment["TMPDIR"] ?? "/tmp"
        path = "\(folder)/records-\(UUID().uuidString)-\(name).json"
        original = text
        // Records may be secret: only the user can read the file.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw InputError(input: path, reason: "cannot be written: \(SystemError.last)") }
        close(descriptor)
        try OpenFile.write(text, to: path)
    }

    /// Runs the editor, and reads the file after it.
    ///
    /// - Throws: ``InputError`` if the editor fails; the file stays if it was changed.
    func edit() throws -> [UInt8] {
        // As with a pager: these keys are for the editor, and for what it runs.
        let formerHandlers = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer { _ = (signal(SIGINT, formerHandlers.0), signal(SIGQUIT, formerHandlers.1)) }
        let status: Int32
        do {
            // The shell splits the options of the editor.
            status = try ShellProcess("\(command) \"$1\"", arguments: [path]).wait()
        } catch {
            throw failure("\(error)")
        }
        guard status == 0 else { throw failure("it ended with status \(status)") }
        return try OpenFile.bytes(of: path)
    }

    /// Removes the file.
    func remove() { unlink(path) }

    /// An error of saving, with the file that has what the user wrote.
    func kept(_ error: any Error) -> InputError {
        InputError(input: path, reason: "\(ErrorLine.text(of: error)); your text stays in this file")
    }

    private func failure(_ reason: String) -> InputError {
        guard let bytes = try? OpenFile.bytes(of: path), bytes.elementsEqual(original.utf8) else {
            return InputError(
                input: path, reason: "the editor '\(command)' failed: \(reason); your text stays in this file")
        }
        remove()
        return InputError(input: "the editor '\(command)'", reason: "\(reason); nothing is changed")
    }
}
