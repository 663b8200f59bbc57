import NestedRecords

/// A record with all records it refers to, ready to be written as JSON.
struct NestedDocument: Sendable {
    let root: Record.ID

    /// The records that references lead to, and the root.
    let records: [Record.ID: Record]
    let nesting: Nesting

    /// What a flattened document has besides its fields.
    var texts = KeptTexts()

    /// How the references of a flattened document are written, and its extended values.
    var forms = ValueForms()

    /// The only field of the root to print; nil for all as an object.
    var rootField: String?

    /// Whether the elements of the root are printed as lines.
    var isLines = false

    init(_ root: Record.ID, _ records: [Record.ID: Record], _ nesting: Nesting) {
        (self.root, self.records, self.nesting) = (root, records, nesting)
    }

    /// Adds what a flattened document has besides its fields.
    mutating func add(_ document: DocumentRecord) {
        texts.values.merge(document.texts.values) { first, _ in first }
        texts.members.merge(document.texts.members) { first, _ in first }
        forms.forms.merge(document.forms.forms) { $0.merging($1) { first, _ in first } }
    }

    /// Writes the document and a line break.
    ///
    /// - Parameter output: Called with the next bytes. The document is not held in memory: a shared record is written in each
    ///   place.
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
