import NestedRecords

/// Prints the results of a query for scripts.
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

    /// Prints a page: the records first, then the cursor.
    func print(_ page: RecordPage) throws {
        guard isJSON else {
            try printLines(of: page.records)
            // Flushed, so that all records are written before the cursor.
            try console.output.flush()
            if let next = page.next { console.statusLine.print("next: \(next)") }
            return
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

    /// Prints summaries: a line for each, or one object.
    func print(_ summaries: [RecordSummary], isGrouped: Bool, hasField: Bool) throws {
        var writer = JSONWriter()
        if isJSON {
            writer.beginObject()
            writer.writeKey(plain: "summaries")
            writer.beginList()
        }
        for summary in summaries {
            writer.beginObject()
            if isGrouped {
                writer.writeKey(plain: "group")
                writer.write(orNull: summary.group)
            }
            writer.writeKey(plain: "count")
            writer.write(Int64(summary.count))
            if hasField {
                writer.writeKey(plain: "numbers")
                writer.write(Int64(summary.numberCount))
                let average = summary.average.map { Record.Value.double($0) }
                let values = [("sum", summary.sum), ("average", average), ("min", summary.min), ("max", summary.max)]
                for (name, value) in values {
                    writer.writeKey(plain: name)
                    writer.write(orNull: value)
                }
            }
            writer.endObject()
            if !isJSON { writer.endLine() }
            try console.output.write(json: writer.takeBytes())
        }
        guard isJSON else { return }
        writer.endList()
        try end(&writer)
    }

    private func end(_ writer: inout JSONWriter) throws {
        writer.endObject()
        writer.endLine()
        try console.output.write(json: writer.bytes)
    }

    private func printLines(of records: [Record]) throws {
        var printer = LinePrinter(output: console.output)
        for record in records {
            guard printsIDs else {
                try printer.print(record)
                continue
            }
            // A name has no control characters, but may have scalars that change the writing direction.
            let text = record.id.description
            try console.output.write((console.outputTerminal.isTerminal ? text.visible : text) + "\n")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(orNull value: Record.Value?) {
        if let value { write(typed: value) } else { writeNull() }
    }
}
