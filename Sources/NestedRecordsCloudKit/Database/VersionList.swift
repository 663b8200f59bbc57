import Foundation
import NestedRecords

/// The versions of all records of a zone, and what they say of assets, which are read once and then follow the changes.
///
/// CloudKit lists a zone as a whole, and in no order.
actor VersionList {
    private let port: any CloudKitPort
    private let mapping: RecordMapping
    private var position: Data?

    /// The user whose zone was read.
    private var user: String?
    private var tags: [String: [Record.ID: String]] = [:]

    /// The library's own records about assets, and the fields of other records that name contents.
    private var ofAssets: [Record.ID: Record] = [:]

    /// The records of types in order, until one of a type is added or removed.
    private var sorted: [String: [Record.ID]] = [:]
    private var reading: Task<Void, any Error>?

    init(_ port: any CloudKitPort, _ mapping: RecordMapping) { (self.port, self.mapping) = (port, mapping) }

    /// The versions of a type's records, in the order of the bytes of their names.
    func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID] {
        try await follow()
        return page(ofType: type, after: name, limit: limit)
    }

    /// The library's own records about assets, and the other records that name contents, without their other fields.
    func recordsOfAssets() async throws -> [Record] {
        try await follow()
        return Array(ofAssets.values)
    }

    private func follow() async throws {
        // A read of another caller that has begun may miss a save that has returned.
        let former = reading
        let task = Task {
            _ = await former?.result
            try await self.readChanges()
        }
        reading = task
        try await task.value
    }

    private func page(ofType type: String, after name: String?, limit: Int) -> [RecordBatch.VersionedID] {
        let tags = tags[type] ?? [:]
        let ids = sorted[type] ?? tags.keys.sorted()
        sorted[type] = ids
        let start = name.map { name in
            ids.partitioningIndex { name.utf8.lexicographicallyPrecedes($0.name.utf8) }
        }
        return ids[(start ?? 0)...].prefix(limit).map { id in
            RecordBatch.VersionedID(id, version: tags[id].map { .changeTag($0) } ?? .exists)
        }
    }

    private func readChanges() async throws {
        let user = try await repeatingRead { [port] in try await reportingFailures { try await port.userName() } }
        if user != self.user { (self.user, position, tags, sorted, ofAssets) = (user, nil, [:], [:], [:]) }
        var isComplete = false
        while !isComplete {
            let changes: ZoneChanges
            do {
                changes = try await port.repeatedChanges(since: position, hasFields: true)
            } catch CloudKitFailure.positionExpired where position != nil {
                (position, tags, sorted, ofAssets) = (nil, [:], [:], [:])
                continue
            } catch let failure as CloudKitFailure {
                throw failure.error
            }
            for record in changes.saved {
                guard let content = try mapping.decode(record.fields, record.system) else { continue }
                set(content.record.id, content.isDeleted ? nil : content.record)
            }
            for deletion in changes.deleted {
                let id = try mapping.naming.id(ofDeleted: deletion.recordName, recordType: deletion.recordType)
                if let id { set(id, nil) }
            }
            (position, isComplete) = (changes.position, changes.isComplete)
        }
    }

    private func set(_ id: Record.ID, _ record: Record?) {
        let former = tags[id.type, default: [:]][id]
        let tag = record?.metadata?.changeTag
        ofAssets[id] = record?.partOfAssets
        tags[id.type, default: [:]][id] = tag
        if (former == nil) != (tag == nil) { sorted[id.type] = nil }
    }
}

extension Record {
    /// The record if it is about assets, or what of it names contents; nil if nothing does.
    fileprivate var partOfAssets: Record? {
        if id.isOfAssets { return self }
        var record = self
        for (name, value) in fields where !value.contains(where: { value, _ in value.kind == .asset }) {
            record[name] = nil
        }
        return record.fields.isEmpty ? nil : record
    }
}

extension Array {
    /// The first position of an element with a property that all later ones have too.
    fileprivate func partitioningIndex(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
