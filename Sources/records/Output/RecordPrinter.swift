@_spi(Engines) import NestedRecords

/// Prints records one by one.
protocol RecordPrinter {
    /// Prints a record, or keeps it until its layout is known.
    mutating func print(_ record: Record) throws

    /// Prints the rest.
    mutating func finish() throws
}

/// Prints a line of JSON for each record.
struct LinePrinter: RecordPrinter {
    private let output: Output
    private let form: JSONForm
    private var writer = JSONWriter()

    init(output: Output, as form: JSONForm = .typed) { (self.output, self.form) = (output, form) }

    mutating func print(_ record: Record) throws {
        try writer.write(record, as: form)
        writer.endLine()
        try output.write(json: writer.takeBytes())
    }

    mutating func finish() {}
}

/// Prints one JSON list of records.
struct ListPrinter: RecordPrinter {
    private let output: Output
    private let form: JSONForm
    private let end: String
    private var isFirst = true

    init(output: Output, as form: JSONForm = .typed, end: String = "\n") {
        (self.output, self.form, self.end) = (output, form, end)
    }

    mutating func print(_ record: Record) throws {
        var writer = JSONWriter()
        try writer.write(record, as: form)
        try output.write(isFirst ? "[\n" : ",\n")
        try output.write(json: writer.bytes)
        isFirst = false
    }

    mutating func finish() throws { try output.write((isFirst ? "[]" : "\n]") + end) }
}

/// Prints a line with the ID of each record.
struct IDPrinter: RecordPrinter {
    let console: Console

    func print(_ record: Record) throws {
        // A name has no control characters, but may have scalars that change the writing direction.
        let text = record.id.description
        try console.output.write((console.outputTerminal.isTerminal ? text.visible : text) + "\n")
    }

    func finish() {}
}

/// Prints the ID of each record, and below it a line for each field.
struct TextPrinter: RecordPrinter {
    let console: Console

    func print(_ record: Record) throws {
        let terminal = console.outputTerminal
        try console.output.write(terminal.tinted(record.id.description.visible, .reference) + "\n")
        for (name, value) in record.fields {
            let text = value.description
            // The description of a record has the value after the name, in quotes if that needs them.
            let lines = try Record(id: record.id, fields: [name: value]).description.utf8
            let name = lines.dropFirst(record.id.description.utf8.count + 1).dropLast(text.utf8.count)
            try console.output.write(
                String(decoding: name, as: UTF8.self).visible
                    + terminal.tinted((value.numberDigits ?? text).visible, Tint(value)) + "\n")
        }
    }

    func finish() {}
}
