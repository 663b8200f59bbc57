import Foundation
import NestedRecords

/// The records of a text in CSV or TSV: a record for each row, a field for each column.
enum RowTable {
    /// The names of columns that may name rows, the best first, in small letters without `_`; `*` is the type.
    private static let names = ["id", "*id", "uuid", "guid", "key", "*key", "code", "*code", "*", "name", "*name"]

    /// The records, one for each row.
    ///
    /// A row is named by the first column of ``names`` whose values are all different and can be names of records, else
    /// by its position. An empty value is missing; `""` is the empty string in a column of strings.
    ///
    /// - Parameters:
    ///   - hasHeader: Whether the first row has the names of the columns; else these are `column1`, `column2` and so on.
    ///   - path: The path, whose name in the singular is the type; `-` for standard input.
    /// - Throws: ``InputError``, also for a row with more or fewer values than the first row.
    static func records(of text: DelimitedText, hasHeader: Bool, named path: String) throws -> [Record] {
        var (text, rows): (DelimitedText, [[String?]]) = (text, [])
        while let row = try text.next() {
            if let first = rows.first, first.count != row.count {
                throw text.error("the number of values is \(row.count), expected \(first.count) as in the first line")
            }
            rows.append(row)
        }
        guard let first = rows.first else { return [] }
        if hasHeader { rows.removeFirst() }
        let columns = first.enumerated().map { position, name in
            name.flatMap { hasHeader && !$0.isEmpty ? $0 : nil } ?? "column\(position + 1)"
        }
        for (position, name) in columns.enumerated() where columns[..<position].contains(name) {
            let hint = "'--no-header' names columns by numbers"
            throw InputError(input: text.input, reason: "the column '\(name.shortened)' occurs twice; \(hint)")
        }
        let type = OpenFile.path(path).flatMap { TypeName.type(of: $0.nameOfFile) } ?? "Item"
        let spellings = columns.map { String($0.lowercased().unicodeScalars.filter { $0 != "_" }) }
        let ids = names.lazy.compactMap { spellings.firstIndex(of: $0.replacing(["*": type.lowercased()])) }
            .map { column in rows.compactMap { row in row[column].flatMap { try? Record.ID(type: type, name: $0) } } }
            .first { Set($0).count == rows.count }
        let values = columns.indices.map { column in ColumnValues.of(rows.map { $0[column] }) }
        return try rows.indices.map { row in
            let fields = columns.indices.compactMap { column in values[column][row].map { (columns[column], $0) } }
            let id = try ids?[row] ?? Record.ID(type: type, name: "\(row + 1)")
            return try Record(id: id, fields: Record.Fields(fields))
        }
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
            { text in Int64(text).flatMap { $0.description.hasBytes(of: text) ? .int($0) : nil } },
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
    /// The number of characters after a point.
    fileprivate var decimalCount: Int { utf8.firstIndex(of: UInt8(ascii: ".")).map { utf8[$0...].count - 1 } ?? 0 }

    /// The number with this spelling; nil if it prints in another way.
    ///
    /// - Parameter sharesDecimals: Whether zeros may follow the decimals, as those of a price do.
    fileprivate func number(sharesDecimals: Bool) -> Double? {
        guard let value = Double(self), value.isFinite else { return nil }
        let printed = value.description
        if printed.hasBytes(of: self) || printed.hasBytes(of: self + ".0") { return value }
        guard sharesDecimals, decimalCount > 0 else { return nil }
        let zeros = utf8.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        let short = String(decoding: utf8.dropLast(zeros), as: UTF8.self)
        return printed.hasBytes(of: short) || printed.hasBytes(of: short + "0") ? value : nil
    }
}
