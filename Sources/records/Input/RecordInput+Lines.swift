@_spi(Engines) import NestedRecords

extension RecordInput {
    /// The records of lines.
    final class RecordLines: AsyncIteratorProtocol {
        let file: OpenFile
        let type: String?
        private var reader: RecordLineReader

        init(_ file: OpenFile, _ type: String?) {
            (self.file, self.type) = (file, type)
            reader = RecordLineReader(file)
        }

        func next() async throws -> Record? {
            while let record = try RecordInput.next(&reader, in: file) {
                if type == nil || record.id.type == type { return record }
            }
            return nil
        }
    }

    /// The next record of lines; errors name the input.
    static func next(_ reader: inout RecordLineReader, in file: OpenFile) throws -> Record? {
        do {
            return try reader.next()
        } catch let error as RecordFormatError {
            throw InputError(input: file.name, reason: reason(of: error))
        } catch let error as ReadError {
            throw InputError(input: file.name, reason: "\(error)")
        }
    }

    /// The error of a line, with a hint if the input seems to be of another kind.
    static func reason(of error: RecordFormatError) -> String {
        error.code == .incompleteLine ? "\(error): nested JSON is for 'records flatten'" : "\(error)"
    }
}

extension RecordLineReader {
    /// Reads the lines of a file from its read position.
    ///
    /// - Parameter file: The file. Reading throws ``ReadError``, and ``InputError`` for a record file.
    init(_ file: OpenFile) {
        var isFirst = true
        self.init { buffer in
            let count = try file.read(into: buffer)
            if isFirst, let name = Engine.ofFile(beginningWith: buffer[..<count])?.name {
                let reason = "found \(name), expected lines of typed JSON: \(name) is read by its path"
                throw InputError(input: file.name, reason: "line 1, column 1: \(reason)")
            }
            isFirst = false
            return count
        }
    }
}
