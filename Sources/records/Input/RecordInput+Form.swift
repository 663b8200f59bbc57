import NestedRecords

extension RecordInput {
    /// What the bytes of a file are.
    enum Form {
        /// Lines of typed JSON, or nothing.
        case records
        /// Any other JSON.
        case document
        case unknown
    }

    /// The form of a file, by its first line.
    ///
    /// - Throws: ``InputError``, also for data that another program must convert.
    static func form(of file: OpenFile, at path: String) throws -> Form {
        let bytes: [UInt8]
        do {
            bytes = try file.firstLine(atMost: 1 << 16)
        } catch let error as ReadError {
            throw InputError(input: file.name, reason: "\(error)")
        }
        // The reader of lines names a database.
        if Engine.ofFile(beginningWith: bytes) != nil { return .records }
        if let other = OtherFormat.of(bytes, at: path) { throw other.error(at: path) }
        if SourceText.isWide(bytes) { return .document }
        let mark: [UInt8] = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [0xEF, 0xBB, 0xBF] : []
        let content = bytes.dropFirst(mark.count).drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard let first = content.first else { return .records }
        guard first == UInt8(ascii: "{") else {
            return "[\"-0123456789tfn/".utf8.contains(first) ? .document : .unknown
        }
        let line = content.prefix { $0 != 0x0A }
        if let tree = try? JSONTree(Array(line)) { return tree.isRecord ? .records : .document }
        // A line that is too long or damaged.
        let text = line.prefix(1_000).filter { $0 > 0x20 }
        let start = Array("{\"id\":\"".utf8)
        let hasID =
            text.starts(with: start)
            && text.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") }.contains(UInt8(ascii: "/"))
        return hasID && text.hasPart("\"fields\":{") ? .records : .document
    }
}

extension MarkedTree {
    /// The type of the records of equal lines, if they are named by a key that is not surely an identifier; nil for none.
    ///
    /// Equal lines of a log are several records.
    var typeOfEqualLines: String? {
        guard tree.isLines,
            let line = tree.children(of: tree.root).first(where: { isRecord($0) && stored($0) != $0 })
        else { return nil }
        let (name, identifier) = types[type(of: line)]
        return Identifiers.isStrong(identifier) ? nil : name
    }
}

extension JSONTree {
    /// Whether the document has the form of a record in a line.
    fileprivate var isRecord: Bool {
        guard !isLines, kind(of: 1) == .object, let id = key("id").flatMap({ member($0, of: 1) }), kind(of: id) == .text
        else { return false }
        return text(of: id).utf8.contains(UInt8(ascii: "/")) && key("fields").map { member($0, of: 1) != nil } ?? false
            && children(of: 1).allSatisfy { ["id", "fields", "metadata"].contains(keyText(of: $0)) }
    }
}

extension Collection<UInt8> {
    fileprivate func hasPart(_ text: String) -> Bool {
        let sought = Array(text.utf8)
        return indices.contains { self[$0...].starts(with: sought) }
    }
}
