import Foundation
import NestedRecords

/// A field and its new value, as a word of the command line: `title=Stars`, `title:="Stars"` or `tags+=sea`.
struct Assignment: Sendable {
    private enum Sign {
        /// `=`: the value has the kind of the field.
        case ofKind

        /// `:=`: the form of the text decides the kind, and the field may be new.
        case ofForm

        /// `+=`: the value is a new element at the end of a list.
        case element
    }

    /// How values are read, for the help of commands.
    static let help = """
        FIELD=VALUE reads a value as the kind that the field has in this record, otherwise in other records of the type: \
        a string, a number, true or false, a date, a location, a reference such as Person/ada, or bytes in base64. A \
        field that no record of the type has is an error. FIELD:=VALUE sets any field to a value of any kind: the form \
        decides, as in filters: 12, true, null, word, "two words", 2030-01-31, 57.05;-5.13, Person/ada, or [ ] and { } \
        with typed JSON.
        """

    let field: String
    private let sign: Sign
    private let text: String

    /// Reads a word; the result is nil if it has no equals sign, or a slash before it as an ID has.
    init?(_ word: String) {
        let scalars = word.unicodeScalars
        guard let equals = scalars.firstIndex(of: "="), !scalars[..<equals].contains("/") else { return nil }
        let name = scalars[..<equals]
        sign =
            switch name.last?.value {
            case 0x3A: .ofForm
            case 0x2B: .element
            default: .ofKind
            }
        field = String(sign == .ofKind ? name : name.dropLast())
        text = String(scalars[scalars.index(after: equals)...])
    }

    /// Refuses assignments of which one would undo another.
    ///
    /// - Parameter removed: The fields to remove after the assignments.
    static func check(_ assignments: [Assignment], removed: [String] = []) throws {
        var fields: Set<String> = []
        for assignment in assignments {
            let isFirst = fields.insert(assignment.field).inserted
            guard isFirst || assignment.sign == .element else {
                throw UsageError("'\(assignment.field)' is set twice: give it one value")
            }
        }
        for field in fields {
            // The result would depend on the order.
            if let outer = fields.first(where: { field.unicodeScalars.starts(with: "\($0).".unicodeScalars) }) {
                throw UsageError("'\(field)' is in '\(outer)', which is set too")
            }
        }
        if let field = removed.first(where: fields.contains) {
            throw UsageError("'\(field)' is set, and removed by '--unset'")
        }
    }

    /// Sets the field of a record, or a value within a map or a location of it.
    ///
    /// - Parameter catalog: The values of the fields in other records, whose kinds a missing value has.
    /// - Throws: `UsageError` if the text is of another kind, or no record of the type has the field, and errors of
    ///   reading.
    func apply(to record: inout Record, in catalog: inout FieldCatalog) async throws {
        let path = record.path(of: field)
        let old = path.value(in: record)
        if path.names.count > 1, old == nil {
            // Before other records are searched for such a value.
            var copy = record
            try copy.set(.int(0), at: path)
        }
        if sign == .ofForm {
            // Typed JSON says everything about a reference.
            let isJSON = text.utf8.first == UInt8(ascii: "{")
            return try record.set(Self.keeping(isJSON ? nil : old, in: valueOfForm()), at: path)
        }
        // The kind of null and of the elements of an empty list is that in other records.
        let present = old.flatMap { [.null, .list([])].contains($0) ? nil : $0 }
        let owner = present == nil ? "other records of the type \(record.id.type)" : "\(record.id)"
        var example = present
        if example == nil {
            do {
                example = try await catalog.example(of: path, inType: record.id.type, for: "FIELD=VALUE")
            } catch let error as UsageError {
                let end = "\(error)".utf8.last == UInt8(ascii: "?") ? " " : "; "
                throw UsageError("\(error)\(end)'\(field):=VALUE' adds such a field")
            }
        }
        guard sign == .element else { return try record.set(value(like: example, of: owner), at: path) }
        var (elements, list): ([Record.Value], [Record.Value]) = ([], [])
        if case .list(let values)? = example {
            elements = values
        } else if let example, example != .null {
            throw UsageError("'\(field)' of \(owner) is of the kind \(example.kindWord), and '+=' adds to a list")
        }
        if case .list(let values) = present { list = values }
        try record.set(.list(list + [try value(like: elements.first, of: owner)]), at: path)
    }

    /// A reference that takes the place of another keeps its action, and is a link like it.
    private static func keeping(_ present: Record.Value?, in value: Record.Value) -> Record.Value {
        guard case .reference(let old)? = present, case .reference(let new) = value else { return value }
        return .reference(Record.Reference(to: new.id, action: old.action, isLink: old.isLink))
    }

    /// The value of the text, whose form decides the kind as in a filter.
    private func valueOfForm() throws -> Record.Value {
        var text = FilterText(text, owner: "'\(field):='")
        let value = try text.value()
        text.skipSpace()
        guard text.current == nil else { throw text.unexpected("the end; a string of several words needs quotes") }
        // A filter compares with the nearest number, but a stored value would silently be another number.
        if case .double = value, !self.text.utf8.contains(where: { ".eE".utf8.contains($0) }) {
            throw text.error("an integer that 64 bits do not hold; write 1e20 for a floating-point number", at: 0)
        }
        return value
    }

    /// How to write values of a kind, for errors.
    private static let forms: [Record.Value.Kind: String] = [
        .date: " such as 2030-01-31 or 2030-01-31T12:00:00Z", .location: " such as 57.05;-5.13", .bytes: " in base64",
        .reference: " such as Person/ada",
    ]

    /// The value of the text, of the kind of another value; without one of a kind that is seen from its form.
    private func value(like example: Record.Value?, of owner: String) throws -> Record.Value {
        func read(_ value: Record.Value?, _ kind: String) throws -> Record.Value {
            if let value { return value }
            let hint = "write '\(field):=VALUE' for a value of another kind"
            throw UsageError("'\(field)' of \(owner) is \(kind), and '\(text.shortened)' is none: \(hint)")
        }
        let known = try? valueOfForm()
        func form(_ kinds: String...) -> Record.Value? { known.flatMap { kinds.contains($0.kindWord) ? $0 : nil } }
        guard let example, example != .null, example != .serverTimestamp else {
            return form("null", "Boolean", "integer", "number", "date", "location") ?? .string(text)
        }
        if example.kind.isNumber || example.numberDigits != nil {
            return try read(form("integer", "number"), "a number")
        }
        if example.isCollection {
            throw UsageError("'\(field)' of \(owner) is a list or a map: write '\(field):=VALUE' with typed JSON")
        }
        var value = form(example.kind.word)
        if example.kind == .string { value = .string(text) }
        if example.kind == .bytes { value = Data(base64Encoded: text).map { .bytes($0) } }
        if example.kind == .reference {
            value = (try? Record.ID(text)).map { Self.keeping(example, in: .reference(Record.Reference(to: $0))) }
        }
        return try read(value, example.kind.name + (Self.forms[example.kind] ?? ""))
    }
}
