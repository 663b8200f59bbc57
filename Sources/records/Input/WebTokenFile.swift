import Foundation
import NestedRecords

/// A file with the web token of a user, which each answer of CloudKit replaces.
struct WebTokenFile: Sendable {
    /// The path, as the user named it.
    let name: String

    /// The path without symbolic links: a replaced link would leave its target with the old token.
    let path: String

    init(_ name: String) {
        self.name = name
        path = URL(fileURLWithPath: name).resolvingSymlinksInPath().path
    }

    /// Reads the token.
    ///
    /// - Throws: ``InputError``, which does not show the content.
    func token() throws -> String {
        guard let bytes = try? OpenFile.bytes(of: path), let text = String(validUTF8: bytes) else {
            throw InputError(input: name, reason: "cannot be read for the web token of a user")
        }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)  // Characters: at both ends
        // The page after the sign-in has the token in its address, percent-encoded.
        let token = ServerAddress.decoded(Substring(trimmed)) ?? ""
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw InputError(input: name, reason: "does not have the web token of a user as its only line")
        }
        return token
    }

    /// Replaces the token at once, so that a process that is ended leaves the old or the new one.
    ///
    /// - Throws: ``InputError`` if the file cannot be replaced.
    func write(_ token: String) throws {
        // The file of an ended process with this number may have been left.
        let part = "\(path).\(getpid())"
        unlink(part)
        // Only the user can read the file.
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        do {
            guard descriptor >= 0 else { throw SystemError.last }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: Data("\(token)\n".utf8))
            try file.synchronize()
            try file.close()
            guard rename(part, path) == 0 else { throw SystemError.last }
        } catch {
            if descriptor >= 0 { unlink(part) }
            throw InputError(
                input: name,
                reason: "cannot be replaced, and each answer of CloudKit has a new token: \(ErrorLine.text(of: error))")
        }
    }
}
