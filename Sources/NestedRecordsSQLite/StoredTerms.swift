#if SQLite
import Foundation
@_spi(Engines) import NestedRecords

/// What rows name by a number: types, field names, paths of references, and batches.
///
/// The numbers of types, names and paths are never given again, so that a connection may keep them. What a transaction
/// has added is forgotten when it is rolled back.
struct StoredTerms {
    struct StoredType {
        let name: String
        let hash: UInt64

        /// Not in a damaged file.
        let isValid: Bool
    }

    struct StoredBatch {
        let mark: Int64
        let tagStart: String

        /// In seconds since 2001.
        let date: Double
    }

    struct Shape {
        let names: NameBlock
        let hash: UInt64
    }

    struct Path {
        let text: String
        let kind: Int64
    }

    var types: [Int64: StoredType] = [:]
    var typeNumbers: [String: Int64] = [:]

    /// By number: there are few, and rows of the same type have several.
    var shapes: [Shape?] = []
    var shapeNumbers: [[UInt8]: Int64] = [:]
    var paths: [Int64: Path] = [:]

    /// By kind and text; paths that differ in Unicode normalization alone are equal strings, and one of them is here.
    var pathNumbers: [Int64: [String: (text: String, number: Int64)]] = [:]
    var batches: [Int64: StoredBatch] = [:]

    /// Most rows have the batch and the names of the row before.
    var latestBatch: (number: Int64, batch: StoredBatch)?
    var writtenShape: (number: Int64, block: [UInt8], hash: UInt64)?
    var latestType: (number: Int64, type: StoredType)?
}

extension Connection {
    /// Longer blocks of names, and blocks beyond this number, are in the bodies: such names are data, and rarely repeat.
    private static var longestShape: Int { 2_048 }
    private static var mostShapes: Int64 { 4_096 }
    private static var mostKeptBatches: Int { 10_000 }

    func storedType(_ number: Int64) throws -> StoredTerms.StoredType? {
        if let latest = terms.latestType, latest.number == number { return latest.type }
        if let known = terms.types[number] {
            terms.latestType = (number, known)
            return known
        }
        guard
            let name = try first(
                "SELECT name FROM types WHERE number = ?1", .int(number), body: { $0.textBytes(0)?.string }) ?? nil
        else { return nil }
        let isValid = (try? Record.ID(type: name, name: "1")) != nil
        let type = StoredTerms.StoredType(name: name, hash: XXH64.hash(utf8Of: name), isValid: isValid)
        terms.types[number] = type
        return type
    }

    /// The number of a type; nil if no record has had it.
    func typeNumber(_ name: String) throws -> Int64? {
        if let known = terms.typeNumbers[name] { return known }
        let number = try first("SELECT number FROM types WHERE name = ?1", .text(name)) { $0.int(0) }
        if let number { terms.typeNumbers[name] = number }
        return number
    }

    func addedTypeNumber(_ name: String) throws -> Int64 {
        if let number = try typeNumber(name) { return number }
        try run("INSERT INTO types(name, count) VALUES (?1, 0)", .text(name))
        terms.typeNumbers[name] = lastNumber
        return lastNumber
    }

    func storedShape(_ number: Int64) throws -> StoredTerms.Shape? {
        let position = Int(truncatingIfNeeded: number)
        if terms.shapes.indices.contains(position), let known = terms.shapes[position] { return known }
        guard 0...Self.mostShapes ~= number else { return nil }
        let found = try first("SELECT names FROM shapes WHERE number = ?1", .int(number)) { row in
            try shape(in: row.bytes(0) ?? BytesInPlace())
        }
        guard let found else { return nil }
        while terms.shapes.count <= position { terms.shapes.append(nil) }
        terms.shapes[position] = found
        return found
    }

    /// - Parameter form: The names in their binary form, after their length.
    private func shape(in form: BytesInPlace) throws -> StoredTerms.Shape {
        do throws(RecordFormatError) {
            var cursor = ByteCursor(form)
            let names = try NameBlock(cursor.slice(cursor.length()))
            guard cursor.remaining == 0 else {
                throw RecordFormatError(.trailingBytes, at: cursor.offset, number: cursor.remaining)
            }
            return StoredTerms.Shape(names: names, hash: XXH64.hash(form))
        } catch {
            throw RecordDatabaseError.corrupt(path: path, what: "names of fields", underlyingError: error)
        }
    }

    /// The number of a block of names, which is added if it is short enough; else nil.
    func shape(of names: BytesInPlace) throws -> (number: Int64, hash: UInt64)? {
        if let latest = terms.writtenShape, latest.block.withBytesInPlace({ $0.hasSameBytes(as: names) }) {
            return (latest.number, latest.hash)
        }
        guard names.count <= Self.longestShape else { return nil }
        let block = Array(names)
        let hash = XXH64.hash(names)
        if let number = terms.shapeNumbers[block] {
            terms.writtenShape = (number, block, hash)
            return (number, hash)
        }
        var number = try first("SELECT number FROM shapes WHERE names = ?1", .bytes(block)) { $0.int(0) }
        if number == nil {
            let last = try first("SELECT max(number) FROM shapes") { $0.int(0) } ?? 0
            guard last < Self.mostShapes else { return nil }
            try run("INSERT INTO shapes VALUES (?1, ?2)", .int(last + 1), .bytes(block))
            number = last + 1
        }
        guard let number else { return nil }
        terms.shapeNumbers[block] = number
        terms.writtenShape = (number, block, hash)
        return (number, hash)
    }

    func storedPath(_ number: Int64) throws -> StoredTerms.Path? {
        if let known = terms.paths[number] { return known }
        let path = try first("SELECT text, kind FROM paths WHERE number = ?1", .int(number)) {
            StoredTerms.Path(text: $0.text(0), kind: $0.int(1))
        }
        if let path { terms.paths[number] = path }
        return path
    }

    func addedPathNumber(_ text: String, kind: Int64) throws -> Int64 {
        if let known = terms.pathNumbers[kind]?[text], known.text.hasSameBytes(as: text) { return known.number }
        var number = try first("SELECT number FROM paths WHERE kind = ?1 AND text = ?2", .int(kind), .text(text)) {
            $0.int(0)
        }
        if number == nil {
            try run("INSERT INTO paths(kind, text) VALUES (?1, ?2)", .int(kind), .text(text))
            number = lastNumber
        }
        terms.pathNumbers[kind, default: [:]][text] = number.map { (text, $0) }
        return number ?? 0
    }

    func storedBatch(_ number: Int64) throws -> StoredTerms.StoredBatch? {
        if let latest = terms.latestBatch, latest.number == number { return latest.batch }
        var known = terms.batches[number]
        if known == nil {
            known = try first("SELECT mark, date FROM batches WHERE number = ?1", .int(number)) { row in
                StoredTerms.StoredBatch(
                    mark: row.int(0), tagStart: RecordParts.Version.tagStart(ofBatch: number, mark: row.int(0)),
                    // Not a number is stored as null.
                    date: row.doubleIfPresent(1) ?? .nan)
            }
            if terms.batches.count >= Self.mostKeptBatches { terms.batches = [:] }
            terms.batches[number] = known
        }
        guard let known else { return nil }
        terms.latestBatch = (number, known)
        return known
    }

    /// The start of the tags of the batch that was looked up last.
    var latestTagStart: String { terms.latestBatch?.batch.tagStart ?? "" }

    func typeHash(of type: String) -> UInt64 {
        if let latest = terms.latestType?.type, latest.name == type { return latest.hash }
        return XXH64.hash(utf8Of: type)
    }
}
#endif
