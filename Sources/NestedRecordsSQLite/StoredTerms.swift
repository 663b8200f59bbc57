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
        let form: [UInt8]
    }

    struct StoredBatch {
        let mark: Int64
        let tagStart: [UInt8]
        let date: Date
    }

    struct Path {
        let text: String
        let kind: Int64
    }

    var types: [Int64: StoredType] = [:]
    var typeNumbers: [String: Int64] = [:]

    /// By number: there are few, and rows of the same type have several.
    var shapes: [[UInt8]?] = []
    var shapeNumbers: [[UInt8]: Int64] = [:]
    var paths: [Int64: Path] = [:]
    var pathNumbers: [Int64: [String: Int64]] = [:]
    var batches: [Int64: StoredBatch] = [:]

    /// Most rows have the batch and the names of the row before.
    var latestBatch: (number: Int64, batch: StoredBatch)?
    var latestShape: (number: Int64, block: [UInt8])?
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
        let form = [UInt8(truncatingIfNeeded: name.utf8.count)] + Array(name.utf8)
        let type = StoredTerms.StoredType(name: name, form: form)
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

    func storedShape(_ number: Int64) throws -> [UInt8]? {
        let position = Int(truncatingIfNeeded: number)
        if terms.shapes.indices.contains(position), let known = terms.shapes[position] { return known }
        let block = try first("SELECT names FROM shapes WHERE number = ?1", .int(number)) {
            Array($0.bytes(0) ?? BytesInPlace())
        }
        guard let block, 0...Self.mostShapes ~= number else { return nil }
        while terms.shapes.count <= position { terms.shapes.append(nil) }
        terms.shapes[position] = block
        return block
    }

    /// The number of a block of names, which is added if it is short enough; else nil.
    func shapeNumber(_ names: BytesInPlace) throws -> Int64? {
        if let latest = terms.latestShape, latest.block.count == names.count, latest.block.elementsEqual(names) {
            return latest.number
        }
        guard names.count <= Self.longestShape else { return nil }
        let block = Array(names)
        if let number = terms.shapeNumbers[block] {
            terms.latestShape = (number, block)
            return number
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
        terms.latestShape = (number, block)
        return number
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
        if let known = terms.pathNumbers[kind]?[text] { return known }
        var number = try first("SELECT number FROM paths WHERE kind = ?1 AND text = ?2", .int(kind), .text(text)) {
            $0.int(0)
        }
        if number == nil {
            try run("INSERT INTO paths(kind, text) VALUES (?1, ?2)", .int(kind), .text(text))
            number = lastNumber
        }
        terms.pathNumbers[kind, default: [:]][text] = number
        return number ?? 0
    }

    func storedBatch(_ number: Int64) throws -> StoredTerms.StoredBatch? {
        if let latest = terms.latestBatch, latest.number == number { return latest.batch }
        var known = terms.batches[number]
        if known == nil {
            known = try first("SELECT mark, date FROM batches WHERE number = ?1", .int(number)) { row in
                StoredTerms.StoredBatch(
                    mark: row.int(0), tagStart: Array(Self.tagStart(ofBatch: number, mark: row.int(0)).utf8),
                    date: row.date(1))
            }
            if terms.batches.count >= Self.mostKeptBatches { terms.batches = [:] }
            terms.batches[number] = known
        }
        guard let known else { return nil }
        terms.latestBatch = (number, known)
        return known
    }

    /// The tags of a batch begin so.
    ///
    /// With the mark, so that they stay unique if an older copy of the file replaces this one.
    static func tagStart(ofBatch number: Int64, mark: Int64) -> String {
        "\(String(number, radix: 36))-\(String(UInt64(bitPattern: mark), radix: 36))-"
    }
}
#endif
