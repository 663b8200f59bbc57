import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A field and its new value, as a word of the command line: `title=Stars`, or `marks:={"maths":1.5}`.
struct Assignment: Sendable {
    let field: String
    private let text: String

    /// Whether the text is typed JSON.
    private let isJSON: Bool

    /// Reads a word; the result is nil if it has no equals sign, or a slash before it as an ID has.
    init?(_ word: String) {
        let scalars = word.unicodeScalars
        guard let sign = scalars.firstIndex(of: "="), !scalars[..<sign].contains("/") else { return nil }
        let name = scalars[..<sign]
        isJSON = name.last?.value == 0x3A
        field = String(isJSON ? name.dropLast() : name)
        text = String(scalars[scalars.index(after: sign)...])
    }

    /// Sets the field of a record.
    ///
    /// The text is read as the kind of the current value. Without a value that is a scalar, it is a number, a Boolean,
    /// null, or otherwise a string.
    ///
    /// - Throws: `UsageError` if the text is of another kind.
    func apply(to record: inout Record) throws {
        record[field] = try isJSON ? json() : value(like: record[field], of: record.id)
    }

    private func json() throws -> Record.Value {
        do {
            return try JSONDecoder().decode(Record.Value.self, from: Data(text.utf8))
        } catch {
            throw UsageError(
                "'\(field):=' needs typed JSON, not '\(text.shortened)': a string is written as '\"text\"'")
        }
    }

    private func value(like present: Record.Value?, of id: Record.ID) throws -> Record.Value {
        func read(_ value: Record.Value?, _ kind: String) throws -> Record.Value {
            if let value { return value }
            let hint = "write '\(field):=JSON' for a value of another kind"
            throw UsageError("'\(field)' of \(id) is \(kind), and '\(text.shortened)' is none: \(hint)")
        }
        switch present {
        case nil, .null, .serverTimestamp, .list, .map:
            guard present?.isNested != true else { return try read(nil, "a list or a map") }
            return scalar ?? .string(text)
        case .string: return .string(text)
        case .int, .double: return try read(scalar.flatMap { $0.isNumber ? $0 : nil }, "a number")
        case .bool: return try read(["true": .bool(true), "false": .bool(false)][text], "a Boolean")
        case .date: return try read(Date(recordString: text).map { .date($0) }, "a date such as 2030-01-31T12:00:00Z")
        case .location: return try read((try? Location(text)).map { .location($0) }, "a location such as 57.05;-5.13")
        case .bytes: return try read(Data(base64Encoded: text).map { .bytes($0) }, "bytes in base64")
        case .reference(let reference):
            let target = try? Record.ID(text)
            return try read(
                target.map { .reference(Record.Reference(to: $0, action: reference.action, isLink: reference.isLink)) },
                "a reference such as Person/ada")
        }
    }

    /// A number, a Boolean or null; nil for another text.
    private var scalar: Record.Value? {
        guard let value = try? json() else { return nil }
        switch value {
        case .null, .bool, .int, .double: return value
        default: return nil
        }
    }
}

extension Record.Value {
    fileprivate var isNumber: Bool {
        switch self {
        case .int, .double: true
        default: false
        }
    }

    fileprivate var isNested: Bool {
        switch self {
        case .list, .map: true
        default: false
        }
    }
}

extension ParsedArguments {
    /// Opens an existing database for reading.
    ///
    /// - Throws: ``InputError`` also for a file that is no database.
    func databaseInput() async throws -> RecordInput {
        let path = try pathOfRecordFile("FILE")
        let input = try await RecordInput(path)
        guard case .database = input.source else {
            throw InputError(input: path, reason: "is not a database; 'records import' makes one of its records")
        }
        return input
    }

    /// Opens an existing database for writing.
    ///
    /// - Throws: ``InputError`` also for a file that is no database, which stays as it is.
    func existingDatabase() async throws -> any StoredDatabase {
        // Opening a database for writing creates it if it does not exist.
        if case .database(let reader) = try await databaseInput().source { try await reader.close() }
        return try await openForWriting(try pathOfRecordFile("FILE"))
    }

    /// The IDs, and the assignments, among the words of an argument.
    ///
    /// - Throws: `UsageError`.
    func idsAndAssignments(_ name: String) throws -> (ids: [Record.ID], assignments: [Assignment]) {
        var (ids, assignments): ([Record.ID], [Assignment]) = ([], [])
        for word in try texts(name) {
            if let assignment = Assignment(word) { assignments.append(assignment) } else { ids.append(try id(word)) }
        }
        return (ids.uniqued(), assignments)
    }
}
