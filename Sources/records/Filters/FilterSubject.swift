import NestedRecords

/// The subject of a condition or an order: `born`, `cover.colour`, `@type`.
enum FilterSubject: Hashable {
    /// A path that the library supports.
    case path(FieldPath)

    /// The type of the record, which a library query fixes for all records.
    case type

    /// The type and the name.
    case id

    /// The subjects that are not fields, and their spelling.
    private static let attributes: [(text: String, value: FilterSubject)] = [
        ("@id", .id), ("@type", .type), ("@name", .path(.recordName)), ("@changeTag", .path(.changeTag)),
        ("@created", .path(.creationDate)), ("@modified", .path(.modificationDate)),
    ]

    /// Reads a subject: an attribute, or names separated by full stops, quoted if they contain signs.
    ///
    /// A step against references, `^State`, becomes an empty name and the type.
    init(_ text: inout FilterText) throws {
        text.skipSpace()
        if text.current == UInt8(ascii: "@"), let word = text.word {
            guard let attribute = Self.attributes.first(where: { $0.text == word }) else {
                let known = Self.attributes.map(\.text)
                throw text.error("\(UsageError.unknown("attribute", word, known: known))", at: text.position)
            }
            text.take(word: word)
            self = attribute.value
            return
        }
        var names: [String] = []
        repeat {
            if text.take("^") { names.append("") }
            if text.current == UInt8(ascii: "'") || text.current == UInt8(ascii: "\"") {
                names.append(try text.quoted())
            } else {
                names.append(text.takeName())
            }
            if names.last == "" {
                throw text.unexpected(names.dropLast().last == "" ? "a type after '^'" : "the name of a field")
            }
        } while text.take(".")
        self = .path(FieldPath(names))
    }
}

extension FilterSubject {
    /// The fields that the subject leads to; nil for an attribute.
    var fields: FieldPath? { if case .path(let path) = self, !path.names.isEmpty { path } else { nil } }

    /// The subject in the filter language.
    var text: String {
        if let fields { return fields.filterText }
        return Self.attributes.first { $0.value == self }?.text ?? ""
    }

    /// The value in a record; nil if it is missing.
    func value(in record: Record) -> Record.Value? {
        switch self {
        case .path(let path): path.value(in: record)
        case .type: .string(record.id.type)
        case .id: .string(record.id.description)
        }
    }
}

extension FieldPath {
    /// The path in the filter language.
    var filterText: String {
        if names.isEmpty { return description }
        return parts.map { type, names in
            ((type.map { ["^" + $0.asFilterName] } ?? []) + names.map(\.asFilterName)).joined(separator: ".")
        }
        .filter { !$0.isEmpty }.joined(separator: ".")
    }
}

extension String {
    /// The name, quoted if necessary.
    fileprivate var asFilterName: String {
        let text = FilterText(self, owner: "")
        if text.word == self, !utf8.contains(UInt8(ascii: ".")), utf8.first != UInt8(ascii: "@"),
            utf8.first != UInt8(ascii: "^")
        {
            return self
        }
        return utf8.contains(UInt8(ascii: "\"")) ? "'\(escaping("'", with: "'"))'" : "\"\(self)\""
    }
}
