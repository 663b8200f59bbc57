import Foundation
@_spi(Engines) package import NestedRecords

/// The records that each file of a released format must have, as lines of typed JSON of the same release.
package enum KeptRecords {
    /// The records of a file of lines.
    ///
    /// - Parameter path: The path of the file.
    package static func records(ofLinesAt path: String) throws -> Set<Record> {
        var reader = RecordLineReader(try Array(Data(contentsOf: URL(filePath: path))))
        var records: Set<Record> = []
        while let record = try reader.next() { records.insert(record) }
        return records
    }

    /// All records of a database, without metadata.
    package static func records(in database: some RecordDatabase) async throws -> Set<Record> {
        var records: Set<Record> = []
        for try await record in database.records(ofType: nil) {
            try records.insert(Record(id: record.id, fields: record.fields))
        }
        return records
    }

    /// The path of a folder beside a source file.
    package static func folder(of file: String) -> String {
        URL(filePath: file).deletingLastPathComponent().appending(path: "KeptFiles").path()
    }
}
