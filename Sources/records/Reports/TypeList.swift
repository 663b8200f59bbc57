import NestedRecords

/// A list of the record types and fields that a program reads.
struct TypeList {
    private let lines: [String]
    private let name: String

    /// Reads a list from a file: on each line a record type, or a record type, a dot and a field.
    ///
    /// - Parameter path: The path, or `-` for standard input.
    /// - Throws: ``InputError`` and ``ReadError``, also for a line that does not begin with a record type.
    init(_ path: String) throws {
        let file = try OpenFile(path)
        name = file.name
        let bytes = try file.contents()
        lines = bytes.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.withoutOuterSpace, as: UTF8.self)
        }.filter { !$0.isEmpty && !$0.utf8.starts(with: "#".utf8) }
        for line in lines {
            let type = Self.parts(of: line, types: []).type
            guard (try? Record.ID(type: type, name: "a")) != nil else {
                throw InputError(input: name, reason: "'\(line)' does not begin with a record type")
            }
        }
    }

    /// The types and fields to compare with records.
    ///
    /// - Parameter types: The record types of the records: a record type may contain dots.
    func readTypes(among types: [String]) -> (types: ReadTypes, hasFields: Bool) {
        var fields: [String: Set<String>] = [:]
        for line in lines {
            let (type, field) = types.contains(line) ? (line, nil) : Self.parts(of: line, types: types + lines)
            fields[type, default: []].formUnion(field.map { [$0] } ?? [])
        }
        var read = ReadTypes()
        for (type, names) in fields {
            let reads: ReadTypes.FieldTest = { field in names.contains(field) }
            read.add(type, isRequired: true, reads: names.isEmpty ? nil : reads)
        }
        return (read, hasFields: fields.values.contains { !$0.isEmpty })
    }

    /// The type and the field of a line: the type is the longest known one, or ends before the first dot.
    private static func parts(of line: String, types: [String]) -> (type: String, field: String?) {
        let dots = line.utf8.indices.filter { line.utf8[$0] == UInt8(ascii: ".") }
        guard let dot = dots.last(where: { types.contains(String(line[..<$0])) }) ?? dots.first else {
            return (line, nil)
        }
        return (String(line[..<dot]), String(line[line.utf8.index(after: dot)...]))
    }
}
