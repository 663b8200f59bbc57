import NestedRecords

/// A record with all records it refers to, ready to be written as JSON.
struct NestedDocument: Sendable {
    let root: NestedRecord

    /// The records that refer to themselves in a cycle.
    let cycled: [Record.ID: NestedRecord]

    /// The maximum number of references from the root; nil for any.
    let depth: Int?

    /// Whether a reference to a missing record is an error.
    let isStrict: Bool

    /// What a flattened document has besides its fields.
    var texts = KeptTexts()

    /// How the references of a flattened document are written, and its extended values.
    var forms = ValueForms()

    /// The only field of the root to print; nil for all as an object.
    var rootField: String?

    /// Whether the elements of the root are printed as lines.
    var isLines = false

    /// Adds what a flattened document has besides its fields.
    mutating func add(_ document: DocumentRecord) {
        texts.values.merge(document.texts.values) { first, _ in first }
        texts.members.merge(document.texts.members) { first, _ in first }
        forms.forms.merge(document.forms.forms) { $0.merging($1) { first, _ in first } }
    }

    /// Writes the document and a line break.
    ///
    /// - Parameters:
    ///   - layout: The layout.
    ///   - output: Called with the next bytes. The document is not held in memory: a shared record is written in each
    ///     place.
    func write(_ layout: JSONWriter.Layout, to output: ([UInt8]) throws -> Void) throws {
        var printer = NestedPrinter(document: self, layout: layout)
        try printer.write(to: output)
    }
}

/// An error for a field that cannot be written as plain JSON.
struct NestingError: Error, Hashable, CustomStringConvertible {
    let record: Record.ID
    let field: String
    let reason: String

    /// The record, the field and the reason in one line.
    var description: String { "\(record), field '\(field)': \(reason)" }
}
