import Foundation
@_spi(Engines) import NestedRecords

/// What a step changed in one record.
struct UndoEntry: Sendable {
    let id: Record.ID

    /// The record before the change; nil if it was missing.
    let before: Record?

    /// The hash of the record after the change; nil if it is missing.
    var after: Int64?

    /// The field of a part with its entries, and the size from which on another part follows.
    private static let (entriesField, partSize) = ("entries", 1 << 20)

    /// Whether a record is as the change has left it.
    ///
    /// Its version does not matter: an undo gives the former contents back, with a new version.
    func isResult(_ present: Record?, _ writer: inout RecordWriter) throws -> Bool {
        guard let present, let after else { return present == nil && after == nil }
        if try present.contentHash(&writer) == after { return true }
        guard let date = present.metadata?.modificationDate else { return false }
        // When the step was made, the database had not chosen the time of the save yet.
        let fields = present.fields.map { field in
            (field.name, field.value.mapLeaves { $0 == .date(date) ? .serverTimestamp : $0 })
        }
        return try Record(id: id, fields: Record.Fields(fields)).contentHash(&writer) == after
    }

    /// Adds entries to a step, and makes the records that have them.
    ///
    /// - Parameter store: Keeps contents of assets: a part names those of former records, so that none is collected.
    /// - Throws: `RecordError` for a record that no database accepts, and errors of the store.
    static func parts(
        of entries: [UndoEntry], addingTo step: inout UndoStep, _ store: AssetStore?
    ) async throws -> [Record] {
        var (writer, parts, rest) = (RecordWriter(), [Record.Fields](), entries[...])
        while !rest.isEmpty {
            var (values, assets, size) = ([Record.Value](), Set<RecordAsset>(), 0)
            while size < partSize, let entry = rest.popFirst() {
                // As bytes, in which references do not count as such.
                let bytes = try entry.before.map { try writer.bytes(of: Record(id: $0.id, fields: $0.fields)) }
                let id = entry.id.description
                size += (bytes?.count ?? 0) + id.utf8.count + 16
                assets.formUnion(entry.before?.assets ?? [])
                let former = bytes.map { Record.Value.bytes(Data($0)) } ?? .null
                values.append(.list([.string(id), former, entry.after.map { .int($0) } ?? .null]))
            }
            var names: [Record.Value] = []
            for asset in assets where try await store?.exists(asset) ?? false { names.append(.asset(asset)) }
            parts.append([entriesField: .list(values), "assets": .list(names)])
            step.partCount += 1
            step.byteCount += size
        }
        return try zip(step.partIDs.suffix(parts.count), parts).map { try Record(id: $0, fields: $1) }
    }

    /// The entries of a step: one for each record, from before the first batch to after the last one.
    ///
    /// - Throws: ``InputError`` if a part is missing or damaged, and errors of the database.
    static func all(of step: UndoStep, in database: any RecordDatabase) async throws -> [UndoEntry] {
        let ids = try step.partIDs
        let parts = try await database.recordsByID(for: ids)
        var (reader, entries, positions) = (RecordReader(), [UndoEntry](), [Record.ID: Int]())
        for part in ids {
            guard case .list(let values)? = parts[part]?[entriesField] else { throw damage(of: part) }
            for value in values {
                guard let entry = UndoEntry(value, &reader) else { throw damage(of: part) }
                if let position = positions.updateValue(entries.count, forKey: entry.id) {
                    entries[position].after = entry.after
                    positions[entry.id] = position
                } else {
                    entries.append(entry)
                }
            }
        }
        return entries
    }

    init(id: Record.ID, before: Record?, after: Int64?) { (self.id, self.before, self.after) = (id, before, after) }

    /// Reads an entry of a part; nil for other values.
    private init?(_ value: Record.Value, _ reader: inout RecordReader) {
        guard case .list(let values) = value, values.count == 3, case .string(let text) = values[0],
            let id = try? Record.ID(text)
        else { return nil }
        switch values[1] {
        case .null: before = nil
        case .bytes(let bytes):
            guard let record = try? reader.record(from: bytes), record.id == id else { return nil }
            before = record
        default: return nil
        }
        if case .int(let hash) = values[2] { after = hash } else if values[2] != .null { return nil }
        self.id = id
    }

    static func damage(of id: Record.ID) -> InputError {
        InputError(input: "\(id)", reason: "this record of 'undo' is damaged; '--no-undo' does not read it")
    }
}

extension Record {
    /// A number that says whether two records have the same content.
    func contentHash(_ writer: inout RecordWriter) throws -> Int64 {
        Int64(bitPattern: XXH64.hash(try canonicalBytes(&writer)))
    }
}
