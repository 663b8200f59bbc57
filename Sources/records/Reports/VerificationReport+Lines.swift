@_spi(Engines) import NestedRecords

extension VerificationReport {
    /// Reads all lines, and reports lines that are not records, and different records with the same ID.
    ///
    /// - Returns: The records; of several with one ID, the first.
    /// - Throws: ``InputError`` if the file cannot be read, and errors of the output.
    mutating func readLines(of file: OpenFile, progress: ProgressBar) throws -> [Record] {
        var reader = RecordLineReader(file)
        var records: [Record] = []
        var places: [Record.ID: (position: Int, line: Int)] = [:]
        while true {
            do {
                guard let record = try reader.next() else { return records }
                progress.advance()
                if let first = places[record.id] {
                    if try records[first.position].isSame(as: record) { continue }
                    try add(
                        "line \(reader.line): \(record.id) occurs twice, with different content than in "
                            + "line \(first.line)")
                } else {
                    places[record.id] = (records.count, reader.line)
                    records.append(record)
                }
            } catch let error as RecordFormatError {
                try add(RecordInput.reason(of: error))
            } catch let error as ReadError {
                throw InputError(input: file.name, reason: "\(error)")
            }
        }
    }
}
