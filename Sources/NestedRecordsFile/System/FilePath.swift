@_spi(Engines) import NestedRecords

struct FilePath: Sendable {
    let given: String

    /// Absolute and without symbolic links, for the system: it means the same file in any working folder, and a
    /// replacement of the file never replaces a link.
    let resolved: String

    private let base: String

    /// - Throws: `RecordDatabaseError.invalidPath`, and errors of the system, but not for a missing file in an existing folder.
    init(_ path: String, _ system: FileSystem) throws {
        guard !path.isEmpty else { throw RecordDatabaseError(.invalidPath, reason: "it is empty", path: path) }
        guard !path.utf8.contains(0) else {
            throw RecordDatabaseError(.invalidPath, reason: "it contains a NUL character", path: path)
        }
        let folder = try Self.resolve(Self.folder(of: path), for: path, system)
        let name = Self.lastSlash(in: path).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        let withoutLink = folder == "/" ? folder + name : folder + "/" + name  // Characters: all of the folder
        do {
            resolved = try Self.resolve(path, for: path, system)
        } catch let error as RecordDatabaseError where error.isSystemError(SystemErrorCode.missing) {
            resolved = withoutLink
        }
        given = path
        base = resolved == withoutLink ? path : resolved
    }

    private init(given: String, resolved: String) {
        (self.given, self.resolved, base) = (given, resolved, given)
    }

    func adding(_ suffix: String) -> FilePath { FilePath(given: base + suffix, resolved: resolved + suffix) }

    var folder: String { Self.folder(of: resolved) }

    private static func resolve(_ path: String, for given: String, _ system: FileSystem) throws -> String {
        var resolved = ""
        try StorageFile.retrying("open", given) { system.resolve(path, &resolved) }
        return resolved
    }

    private static func folder(of path: String) -> String {
        guard let slash = lastSlash(in: path) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The system's names are bytes: a slash and a following combining mark would be one character.
    private static func lastSlash(in path: String) -> String.Index? { path.utf8.lastIndex(of: UInt8(ascii: "/")) }
}

extension UInt64 {
    var sixteenDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
