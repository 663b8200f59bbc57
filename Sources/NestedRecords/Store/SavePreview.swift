#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The values as they will be decoded from their records after a save, decoded before it.
///
/// Of a value that was read, only the records to save are decoded, with what is nested in them, if that is enough.
///
/// A value that its type cannot read must not be stored.
struct SavePreview<Value: RecordCodable> {
    let values: [Value]

    /// The records of the values, without the metadata of the save.
    private(set) var records: ResolvedRecords

    /// Whether the values do not depend on what the database adds: metadata, and dates in place of server timestamps.
    let isFinal: Bool

    /// Whether the value was kept as it is, and not decoded as a whole.
    let isKept: Bool

    /// - Throws: `RecordError.Code.undecodableValue`.
    init(of _: Value.Type, _ graph: RecordGraph, decoder: RecordDecoder) throws {
        let (records, hasTimestamps) = Self.provisional(graph.records)
        try self.init(
            ResolvedRecords(roots: graph.roots, records: ContiguousArray(records), index: graph.index), graph.roots,
            hasTimestamps, decoder)
    }

    /// - Throws: `RecordError.Code.undecodableValue`.
    init(
        of value: Value, _ change: ValueChange, root: Record.ID, saving save: BatchedSave, in known: ResolvedRecords,
        decoder: RecordDecoder
    ) throws {
        let (records, hasTimestamps) = Self.provisional(save.records)
        var all = known
        all.update(records)
        all.remove(Set(save.deletions.map(\.id)))
        if !hasTimestamps, change.isKept(saving: save.records.map(\.id), in: all, decoder) {
            self.init(values: [value], records: all, isFinal: true, isKept: true)
        } else {
            try self.init(all, [root], hasTimestamps, decoder)
        }
    }

    private init(values: [Value], records: ResolvedRecords, isFinal: Bool, isKept: Bool) {
        (self.values, self.records, self.isFinal, self.isKept) = (values, records, isFinal, isKept)
    }

    private init(
        _ records: ResolvedRecords, _ roots: [Record.ID], _ hasTimestamps: Bool, _ decoder: RecordDecoder
    ) throws {
        do {
            let decoded = try decoder.decodeReached(Value.self, from: records, roots: roots)
            (values, self.records) = (decoded.values, decoded.records)
            (isFinal, isKept) = (!hasTimestamps && !decoded.readsMetadata, false)
        } catch {
            throw RecordError(
                .undecodableValue, recordID: roots.count == 1 ? roots[0] : nil, underlyingError: error)
        }
    }

    /// The records, which only the caller holds then, so that they can be changed without a copy.
    mutating func takeRecords() -> ResolvedRecords {
        defer { records = ResolvedRecords(roots: [], records: []) }
        return records
    }

    /// The records with metadata that are replaced after the save, and whether one has a server timestamp.
    private static func provisional(_ records: some Collection<Record>) -> (records: [Record], hasTimestamps: Bool) {
        let date = Date()
        let metadata = Record.Metadata(changeTag: "", creationDate: date, modificationDate: date)
        var hasTimestamps = false
        let result = records.map { record in
            guard record.hasServerTimestamp else {
                var record = record
                record.metadata = metadata
                return record
            }
            hasTimestamps = true
            return record.saved(as: metadata)
        }
        return (result, hasTimestamps)
    }
}
