import NestedRecords

/// A record with all that it leads to, ready to be written as JSON.
struct NestedDocument: Sendable {
    let root: NestedRecord

    /// The records that lead to themselves.
    let cycled: [Record.ID: NestedRecord]

    /// How many references from the root are followed; nil for all.
    let depth: Int?

    /// Whether a reference to a record that is not there is an error.
    let isStrict: Bool

    /// Writes the document and ends its line.
    ///
    /// - Parameters:
    ///   - layout: How it is laid out.
    ///   - output: Takes the next bytes. The document is not held in memory: what many records refer to is written in
    ///     each place.
    /// - Throws: ``NestingError``, and what `output` throws.
    func write(_ layout: JSONWriter.Layout, to output: ([UInt8]) throws -> Void) throws {
        var printer = NestedPrinter(document: self, layout: layout)
        try printer.write(to: output)
    }
}

/// Why a field cannot be written as plain JSON.
struct NestingError: Error, Hashable, CustomStringConvertible {
    let record: Record.ID
    let field: String
    let reason: String

    /// The record, the field and the reason in one line.
    var description: String { "\(record), field '\(field)': \(reason)" }
}
