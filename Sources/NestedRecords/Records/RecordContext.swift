/// The place of an error in a graph.
public struct RecordContext: Sendable {
    /// One record on the way from the root, with the path to the next one.
    public struct Step: Sendable, Hashable {
        /// The record.
        public let record: Record.ID

        /// The path to the next record, such as `students[2]`; empty in the last step of a chain that ends at the
        /// record itself.
        public let path: String

        /// Makes a step.
        ///
        /// - Parameters:
        ///   - record: The record.
        ///   - path: The path to the next record; empty in the last step.
        public init(record: Record.ID, path: String) {
            (self.record, self.path) = (record, path)
        }
    }

    /// The current record, nil outside of every record.
    public let record: Record.ID?

    /// The current field of the record.
    public let field: String?

    /// All coding keys from the root, across records.
    public let codingPath: [any CodingKey]

    /// The records from the root to ``record``, each with the field that leads to the next one.
    public let chain: [Step]

    /// Makes a context; without arguments, for an error at an unknown place.
    ///
    /// - Parameters:
    ///   - record: The current record, nil outside of every record.
    ///   - field: The current field of the record.
    ///   - codingPath: All coding keys from the root, across records.
    ///   - chain: The records from the root to the record, each with the field that leads to the next one.
    public init(
        record: Record.ID? = nil, field: String? = nil, codingPath: [any CodingKey] = [], chain: [Step] = []
    ) {
        (self.record, self.field, self.codingPath, self.chain) = (record, field, codingPath, chain)
    }
}

extension RecordContext: CustomStringConvertible {
    /// The record, the field and the chain of references in one line; of long chains the beginning and the end.
    public var description: String {
        var text = codingPath.isEmpty ? "" : "at '\(codingPath.shortPathText)'"
        if let record {
            text += text.isEmpty ? "in record \(record)" : " in record \(record)"
            if let field { text += ", field '\(field)'" }
        }
        if chain.count > 1 { text += " (\(chain.chainText))" }
        return text
    }

    /// The description after a comma, to follow another text; empty for an unknown place.
    var suffix: String { description.isEmpty ? "" : ", \(description)" }
}

extension RecordContext {
    /// The record and the chain without the coding path, which coding errors already have.
    var recordSuffix: String {
        let place = RecordContext(record: record, field: field, chain: chain).description
        return place.isEmpty ? "" : ", \(place)"
    }
}

extension [RecordContext.Step] {
    /// The records with the fields that lead from one to the next; of long chains the beginning and the end.
    package var chainText: String {
        let steps = dropLast().map { "\($0.record) .\($0.path)" }.shortened { "… \($0) more …" }
        return (steps + suffix(1).map { "\($0.record)" }).joined(separator: " → ")
    }
}

struct RecordField: Hashable {
    let type: String
    let name: String
}

extension Int {
    /// The number with a noun: `1 record`, `2 records`.
    package func counted(_ singular: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? singular : plural ?? singular + "s")"
    }
}
