/// Where in a graph something happened, for errors.
public struct RecordContext: Sendable {
    /// One record on the way from the root, and the way from it to the next one.
    public struct Step: Sendable, Hashable {
        /// The record.
        public let record: Record.ID

        /// The field that leads on, with what is nested in it: `students[2]`; empty in the last step of a chain that
        /// ends at the record itself.
        public let path: String

        /// Makes a step.
        ///
        /// - Parameters:
        ///   - record: The record.
        ///   - path: The field that leads on, with what is nested in it; empty in a step that leads nowhere.
        public init(record: Record.ID, path: String) {
            self.record = record
            self.path = path
        }
    }

    /// The record that was being worked on, nil outside of every record.
    public let record: Record.ID?

    /// The record's field that was being worked on.
    public let field: String?

    /// All coding keys from the root, across the records on the way.
    public let codingPath: [any CodingKey]

    /// The records from the root to ``record``, each with the field that leads to the next one.
    public let chain: [Step]

    /// Makes a context; without arguments, that of an error whose place is not known.
    ///
    /// - Parameters:
    ///   - record: The record that was being worked on, nil outside of every record.
    ///   - field: The record's field that was being worked on.
    ///   - codingPath: All coding keys from the root, across the records on the way.
    ///   - chain: The records from the root to the record, each with the field that leads to the next one.
    public init(
        record: Record.ID? = nil, field: String? = nil, codingPath: [any CodingKey] = [], chain: [Step] = []
    ) {
        self.record = record
        self.field = field
        self.codingPath = codingPath
        self.chain = chain
    }
}

extension RecordContext: CustomStringConvertible {
    /// The record, the field and the chain of references in one line; of long ways the beginning and the end.
    public var description: String {
        var text = codingPath.isEmpty ? "" : "at '\(codingPath.shortPathText)'"
        if let record {
            text += text.isEmpty ? "in record \(record)" : " in record \(record)"
            if let field { text += ", field '\(field)'" }
        }
        if chain.count > 1 { text += " (\(chain.chainText))" }
        return text
    }

    /// The description in brackets behind another text; nothing where there is no place to tell.
    var suffix: String { description.isEmpty ? "" : ", \(description)" }
}

extension RecordContext {
    /// The record and the chain without the coding path, which coding errors tell by themselves.
    var recordSuffix: String {
        let place = RecordContext(record: record, field: field, chain: chain).description
        return place.isEmpty ? "" : ", \(place)"
    }
}

extension [RecordContext.Step] {
    /// The records with the fields that lead from one to the next; of long chains the beginning and the end.
    var chainText: String {
        let steps = dropLast().map { "\($0.record) .\($0.path)" }.shortened { "… \($0) more …" }
        return (steps + suffix(1).map { "\($0.record)" }).joined(separator: " → ")
    }
}

/// A field of all records of a type.
struct RecordField: Hashable {
    let type: String
    let name: String
}
