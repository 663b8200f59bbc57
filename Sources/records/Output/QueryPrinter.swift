import NestedRecords

/// Prints the results of a query, except records in the formats of a ``RecordPrinter``.
struct QueryPrinter {
    let console: Console

    /// Whether the output is one JSON object; otherwise it is lines.
    let isJSON: Bool

    /// Whether IDs are printed instead of records.
    let printsIDs: Bool

    /// Prints a number of records.
    func print(count: Int) throws {
        guard isJSON else { return try console.output.write("\(count)\n") }
        var writer = JSONWriter()
        writer.beginObject()
        writer.writeKey(plain: "count")
        writer.write(Int64(count))
        try end(&writer)
    }

    /// Prints an ID.
    func print(_ id: Record.ID) throws {
        // A name has no control characters, but may have scalars that change the writing direction.
        let text = id.description
        try console.output.write((console.outputTerminal.isTerminal ? text.visible : text) + "\n")
    }

    /// Prints the cursor of the next page, if there is one.
    func print(next: QueryCursor?) throws {
        // Flushed, so that all records are written before the cursor.
        try console.output.flush()
        if let next { console.statusLine.print("next: \(next)") }
    }

    /// Prints a page as one object, or the IDs of its records and the cursor.
    func print(_ page: RecordPage) throws {
        guard isJSON else {
            for record in page.records { try print(record.id) }
            return try print(next: page.next)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.writeKey(plain: printsIDs ? "ids" : "records")
        writer.beginList()
        for record in page.records {
            if printsIDs { writer.write(record.id.description) } else { try writer.write(record) }
            try console.output.write(json: writer.takeBytes())
        }
        writer.endList()
        writer.writeKey(plain: "next")
        if let next = page.next { writer.write(plain: next.description) } else { writer.writeNull() }
        try end(&writer)
    }

    private func end(_ writer: inout JSONWriter) throws {
        writer.endObject()
        writer.endLine()
        try console.output.write(json: writer.bytes)
    }
}
