import Foundation
@_spi(Engines) public import NestedRecords

extension CloudKitRecordDatabase {
    /// Fetches records with one request.
    ///
    /// They may be of different moments: CloudKit promises no other.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        try checkCount(of: ids)
        return try await reportingFailures { try await stored(ids) }.values.compactMap(\.live)
    }

    /// The records with IDs, with those that are marked as deleted.
    func stored(_ ids: [Record.ID]) async throws -> [Record.ID: StoredRecord] {
        try await stored(ids, withGuard: false).records
    }

    /// The records with IDs, and the guard of deletions, which are read with one request.
    func stored(
        _ ids: [Record.ID], withGuard: Bool
    ) async throws -> (records: [Record.ID: StoredRecord], guardian: PortRecord?) {
        let named = ids.filter { mapping.naming.fault(of: $0) == nil }
        let names = named.map(mapping.naming.recordName(of:)) + (withGuard ? [CloudKitNaming.guardName] : [])
        if names.isEmpty { return ([:], nil) }
        var found: [String: PortRecord] = [:]
        for start in stride(from: 0, to: names.count, by: options.batchLimit) {
            let part = Array(names[start...].prefix(options.batchLimit))
            found.merge(try await port.records(named: part)) { first, _ in first }
        }
        var stored: [Record.ID: StoredRecord] = [:]
        for (id, name) in zip(named, names) {
            guard let record = found[name] else { continue }
            stored[id] = StoredRecord(base: record, content: try mapping.decode(record.fields, record.system), id: id)
        }
        return (stored, found[CloudKitNaming.guardName])
    }

    /// Lists the records in pages, in no order.
    ///
    /// Records that others save during the iteration may or may not be among them.
    ///
    /// In the public database they are those of ``Options/types``, without the newest saves: its indexes take a while.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        if port.assetZone != nil, let type, (try? Record.ID(type: type, name: "-"))?.isOfAssets == true {
            return RecordSequence(pages: { AssetPages(list: list, type: type) })
        }
        if port.isZone { return RecordSequence(pages: { ZonePages(port: port, mapping: mapping, type: type) }) }
        let types = type.map { [$0] } ?? options.types
        return RecordSequence(pages: { PublicPages(port: port, mapping: mapping, types: types) })
    }

    /// Returns the references to records, for which all records are read.
    ///
    /// For contents of assets they are read once; from then on each call reads the changes since the last one.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        let sought = Set(ids)
        var found: [Record.ID: [RecordReferrer]] = [:]
        if port.assetZone != nil, ids.allSatisfy(\.isAssetContent) {
            if ids.isEmpty { return found }
            let named = try await list.recordsOfAssets().sorted { $0.id < $1.id }
            for record in named { record.collectReferrers(to: sought, into: &found) }
        } else {
            for try await record in storedRecords(ofType: nil) { record.collectReferrers(to: sought, into: &found) }
        }
        return found
    }

    /// Returns a page of versions.
    ///
    /// The first call reads all records of the zone; from then on each reads the changes since the last one, with one
    /// request.
    public func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID]
    {
        if limit < 0 { throw RecordError(.invalidLimit, reason: "it is \(limit)") }
        if port.isZone { return try await list.versions(ofType: type, after: name, limit: limit) }
        var found: [RecordBatch.VersionedID] = []
        for try await record in storedRecords(ofType: type)
        where name.map({ $0.utf8.lexicographicallyPrecedes(record.id.name.utf8) }) ?? true {
            found.append(RecordBatch.VersionedID(record.id, version: RecordBatch.Version(of: record)))
        }
        return Array(found.sorted { $0.id < $1.id }.prefix(limit))
    }
}

/// A record of CloudKit that was read for a commit.
struct StoredRecord {
    let base: PortRecord

    /// The record, with one that is marked as deleted; nil for a record of another type with the same name.
    let content: StoredFields?

    /// The ID of a record of another type that is marked as deleted.
    let markOfOtherType: Record.ID?

    init(base: PortRecord, content: StoredFields?, id: Record.ID) {
        self.base = base
        let isOwn = content?.record.id == id
        self.content = isOwn ? content : nil
        markOfOtherType = !isOwn && content?.isDeleted == true ? content?.record.id : nil
    }

    /// The record; nil if it is marked as deleted.
    var live: Record? { content.flatMap { $0.isDeleted ? nil : $0.record } }

    /// The record of CloudKit; nil if it is marked as deleted, or of another type.
    var liveBase: PortRecord? { live == nil ? nil : base }
}

/// All records of a zone, or those of a type.
private struct ZonePages: AsyncIteratorProtocol {
    let port: any CloudKitPort
    let mapping: RecordMapping
    let type: String?
    private var position: Data?
    private var isComplete = false

    /// The names of the records so far: one that is saved again during the iteration comes twice.
    private var seen: Set<String> = []

    init(port: any CloudKitPort, mapping: RecordMapping, type: String?) {
        (self.port, self.mapping, self.type) = (port, mapping, type)
    }

    mutating func next() async throws -> [Record]? {
        let recordType = type.map(CloudKitNaming.recordType(of:))
        while !isComplete {
            let changes = try await reportingFailures { [port, position] in
                try await port.repeatedChanges(since: position, hasFields: true)
            }
            (position, isComplete) = (changes.position, changes.isComplete)
            var page: [Record] = []
            for record in changes.saved where recordType == nil || record.fields.recordType == recordType {
                guard seen.insert(record.fields.recordName).inserted,
                    let content = try mapping.decode(record.fields, record.system), !content.isDeleted
                else { continue }
                page.append(content.record)
            }
            if !page.isEmpty { return page }
        }
        return nil
    }
}

/// The library's own records of a type about assets, which the list of versions has.
private struct AssetPages: AsyncIteratorProtocol {
    let list: VersionList
    let type: String
    private var isDone = false

    init(list: VersionList, type: String) { (self.list, self.type) = (list, type) }

    mutating func next() async throws -> [Record]? {
        if isDone { return nil }
        isDone = true
        let records = try await list.recordsOfAssets().filter { $0.id.type == type }
        return records.isEmpty ? nil : records
    }
}

/// The records of types of the public database, one type after the other.
private struct PublicPages: AsyncIteratorProtocol {
    let port: any CloudKitPort
    let mapping: RecordMapping
    private var types: [String]?
    private var marker: (any Sendable)?

    init(port: any CloudKitPort, mapping: RecordMapping, types: [String]?) {
        (self.port, self.mapping, self.types) = (port, mapping, types)
    }

    mutating func next() async throws -> [Record]? {
        guard var left = types else {
            throw RecordDatabaseError(
                .invalidOptions, reason: "CloudKit does not list the types of the public database",
                hint: "set the option types")
        }
        defer { types = left }
        while let type = left.first {
            let page = try await repeatingRead { [port, marker] in
                try await reportingFailures {
                    try await port.records(ofType: CloudKitNaming.recordType(of: type), after: marker)
                }
            }
            marker = page.marker
            if page.marker == nil { left.removeFirst() }
            let contents = try page.records.compactMap { try mapping.decode($0.fields, $0.system) }
            let live = contents.filter { !$0.isDeleted }.map(\.record)
            if !live.isEmpty { return live }
        }
        return nil
    }
}
