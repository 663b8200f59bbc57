import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The records of a text in CSV or TSV: a record for each row, a field for each column.
///
/// A row is named by the first column of ``names(of:)`` whose values are all different and can be names of records, else
/// by its position. An empty value is missing; `""` is the empty string in a column of strings.
struct RowTable {
    /// The records, one for each row.
    let records: [Record]

    /// Reads a text in UTF-8.
    ///
    /// - Parameters:
    ///   - delimiter: The character between values.
    ///   - hasHeader: Whether the first row has the names of the columns; else these are `column1`, `column2` and so on.
    ///   - input: The name of the input in errors.
    ///   - path: The path, whose name in the singular is the type; `-` for standard input.
    /// - Throws: ``InputError``, also for a row with more or fewer values than the first row.
    init(_ bytes: [UInt8], delimiter: UInt8, hasHeader: Bool, of input: String, named path: String) throws {
        var text = DelimitedText(bytes, delimiter: delimiter, of: input)
        var rows: [DelimitedText.Row] = []
        while let row = try text.next() {
            if let first = rows.first, first.values.count != row.values.count {
                let source = hasHeader ? "the header has" : "the first line has"
                throw text.error(
                    "found \(row.values.count) values, expected \(first.values.count), which \(source)", row.line)
            }
            rows.append(row)
        }
        guard let first = rows.first else {
            records = []
            return
        }
        if hasHeader { rows.removeFirst() }
        let columns = first.values.enumerated().map { position, name in
            hasHeader ? name.flatMap { $0.isEmpty ? nil : $0 } ?? "column\(position + 1)" : "column\(position + 1)"
        }
        for (position, name) in columns.enumerated() where columns[..<position].contains(name) {
            throw text.error(
                "the column '\(name.shortened)' occurs twice; '--no-header' names columns by numbers", first.line)
        }
        let file = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        let type = TypeName.type(of: path == OpenFile.standardInput ? "" : file) ?? "Item"
        let ids = try Self.ids(of: rows, columns, type)
        let values = columns.indices.map { column in ColumnValues.of(rows.map { $0.values[column] }) }
        records = try zip(rows.indices, ids).map { row, id in
            let fields = columns.indices.compactMap { column in values[column][row].map { (columns[column], $0) } }
            return try Record(id: id, fields: Record.Fields(fields))
        }
    }

    /// The names of columns that may name rows, the best first, in small letters without `_`.
    private static func names(of type: String) -> [String] {
        let own = type.lowercased()
        return ["id", own + "id", "uuid", "guid", "key", own + "key", "code", own + "code", own, "name", own + "name"]
    }

    private static func ids(of rows: [DelimitedText.Row], _ columns: [String], _ type: String) throws -> [Record.ID] {
        let spellings = columns.map { String($0.lowercased().unicodeScalars.filter { $0 != "_" }) }
        for name in names(of: type) {
            guard let column = spellings.firstIndex(of: name) else { continue }
            let ids = rows.compactMap { row in row.values[column].flatMap { try? Record.ID(type: type, name: $0) } }
            if Set(ids).count == rows.count { return ids }
        }
        return try rows.indices.map { try Record.ID(type: type, name: "\($0 + 1)") }
    }
}

/// The values of a column, all of one kind.
///
/// They are integers, numbers, Booleans or dates if every value that is not empty is one in the same spelling: printed, it
/// gives the same characters. Numbers may also have the same number of decimals. All others are strings.
enum ColumnValues {
    static func of(_ texts: [String?]) -> [Record.Value?] {
        let shown = texts.map { $0?.isEmpty ?? true ? nil : $0 }
        let decimals = Set(shown.compactMap { $0?.decimalCount })
        var kinds: [(String) -> Record.Value?] = [
            { text in Int64(text).flatMap { $0.description.hasSameBytes(as: text) ? .int($0) : nil } },
            { text in text.number(sharesDecimals: decimals.count == 1).map { .double($0) } },
            { text in Date(recordString: text).flatMap { $0.recordString == text ? .date($0) : nil } },
        ]
        for (no, yes) in [("false", "true"), ("False", "True"), ("FALSE", "TRUE")] {
            kinds.append { text in text == yes ? .bool(true) : text == no ? .bool(false) : nil }
        }
        for kind in kinds where shown.allSatisfy({ text in text.map { kind($0) != nil } ?? true }) {
            return shown.map { $0.flatMap(kind) }
        }
        return texts.map { $0.map { .string($0) } }
    }
}

extension String {
    fileprivate func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// The number of characters after a point.
    fileprivate var decimalCount: Int { utf8.firstIndex(of: UInt8(ascii: ".")).map { utf8[$0...].count - 1 } ?? 0 }

    /// The number with this spelling; nil if it prints in another way.
    ///
    /// - Parameter sharesDecimals: Whether zeros may follow the decimals, as those of a price do.
    fileprivate func number(sharesDecimals: Bool) -> Double? {
        guard let value = Double(self), value.isFinite else { return nil }
        let printed = value.description
        if printed.hasSameBytes(as: self) || printed.hasSameBytes(as: self + ".0") { return value }
        guard sharesDecimals, decimalCount > 0 else { return nil }
        let zeros = utf8.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        let short = String(decoding: utf8.dropLast(zeros), as: UTF8.self)
        return printed.hasSameBytes(as: short) || printed.hasSameBytes(as: short + "0") ? value : nil
    }
}
