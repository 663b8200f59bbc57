@_spi(Engines) import NestedRecords

/// The bytes after the last complete batch of a file: they were being written when the writer ended.
struct Tail: Sendable {
    private(set) var path: String?

    /// The location of the bytes until they are kept: they are not cut off before.
    private(set) var uncut: Range<Int>?

    init(_ range: Range<Int>?) { uncut = range }

    mutating func cut(off file: StorageFile) throws {
        guard let range = uncut else { return }
        path = try Self.keep(range, of: file)
        try file.truncate(to: range.lowerBound)
        uncut = nil
    }

    /// Copies bytes to a separate file that survives a loss of power, and returns its path.
    ///
    /// Existing files are not replaced, including earlier tails.
    private static func keep(_ range: Range<Int>, of file: StorageFile) throws -> String {
        let copy = try openNew(beside: file)
        do {
            var window = BufferedReader(file: file, end: range.upperBound)
            for start in stride(from: range.lowerBound, to: range.upperBound, by: BufferedReader.size) {
                let length = min(BufferedReader.size, range.upperBound - start)
                try window.withBytes(length, at: start) { try copy.write($0, at: start - range.lowerBound) }
            }
            try copy.sync()
            try StorageFile.retrying("sync", copy.path) { file.system.syncFolder(file.name.folder) }
        } catch {
            _ = file.system.remove(copy.name.resolved)
            throw error
        }
        // If the system refuses that, only the owner can read it.
        try? copy.takeAttributes(of: file)
        return copy.path
    }

    private static func openNew(beside file: StorageFile) throws -> StorageFile {
        var number = 1
        while true {
            let name = file.name.adding(number == 1 ? ".torn" : ".torn-\(number)")
            do {
                return try StorageFile.open(name, OpenFlags.creating, file.system)
            } catch let error as RecordDatabaseError where error.isSystemError(SystemErrorCode.exists) {
                number += 1
            }
        }
    }
}
