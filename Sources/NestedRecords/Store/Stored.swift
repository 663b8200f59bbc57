/// A value together with the versions of the records that it was read from.
///
/// ```swift
/// var school = try await store.fetch(School.self, named: "hilltop")
/// school.name = "Hilltop"
/// try await store.save(&school)  // or: school = try await store.save(school)
/// ```
///
/// The properties of the value are accessed directly, and the whole value through ``value``. A save sends only the
/// changed records, each as a new version of the one that was read, and keeps fields that the Swift type does not have.
/// If another writer has changed or deleted one of these records, nothing is saved, and the error has both versions.
///
/// A save finds the changes: it encodes the value, and decodes and encodes again the records that were read and now differ.
@dynamicMemberLookup
public struct Stored<Value> {
    /// The value, with the changes that were made to it.
    public var value: Value

    /// The ID of the value's record.
    public let recordID: Record.ID

    /// The records and how they are decoded: values that were fetched together share one object.
    private var origin: Box<StoredOrigin>

    init(_ value: Value, id: Record.ID, _ origin: Box<StoredOrigin>) {
        (self.value, recordID, self.origin) = (value, id, origin)
    }

    init(_ resolution: RecordDecoder.Resolution<Value>, id: Record.ID, decoder: RecordDecoder)
    where Value: RecordDecodable {
        self.init(resolution.value, id: id, Box(StoredOrigin(resolution.source, decoder)))
    }

    static func all(
        _ resolution: RecordDecoder.Resolution<[Value]>, ids: [Record.ID], _ decoder: RecordDecoder
    ) -> [Stored] {
        let origin = Box(StoredOrigin(resolution.source, decoder))
        return zip(ids, resolution.value).map { Stored($1, id: $0, origin) }
    }

    /// A property of the value.
    public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Member {
        get { value[keyPath: keyPath] }
        set { value[keyPath: keyPath] = newValue }
    }

    /// A property of the value that cannot be set.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> Member { value[keyPath: keyPath] }

    /// A property of the value, which is an object.
    public subscript<Member>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Member>) -> Member {
        get { value[keyPath: keyPath] }
        nonmutating set { value[keyPath: keyPath] = newValue }
    }
}

/// What the values that were fetched together have in common, and what the saves of one have left.
struct StoredOrigin: Sendable {
    var records: ResolvedRecords
    let decoder: RecordDecoder

    /// The records from which the last save decoded the value; the others were part of the value before.
    var savedIDs: [Record.ID]?

    var openDeletions: [RecordBatch.VersionedID] = []

    /// The encoded forms of records that are no longer part of the value.
    ///
    /// If such a record is put back, they distinguish fields that were set to nil from fields that the Swift type does
    /// not have.
    var formerRecords: [Record.ID: Record] = [:]

    init(_ records: ResolvedRecords, _ decoder: RecordDecoder) {
        (self.records, self.decoder) = (records, decoder)
    }

    /// The records that are reachable from the record of one value.
    ///
    /// - Parameter links: Whether links lead to records too: a property that is a record now may be stored as a link,
    ///   and its record was read with the value.
    func ownRecords(of id: Record.ID, followingLinks links: Bool) -> ContiguousArray<Record> {
        if let savedIDs { return ContiguousArray(savedIDs.compactMap { records[$0] }) }
        if records.roots.count == 1 { return records.records }
        var reached = IDInterner([id])
        var found: ContiguousArray<Record> = []
        while found.count < reached.count {
            guard let record = records[reached.ids[found.count]] else { break }
            found.append(record)
            for reference in record.references where (links || !reference.isLink) && records[reference.id] != nil {
                reached.insert(reference.id)
            }
        }
        return found
    }
}

extension Stored {
    /// The origin of the value alone, without the records of other values; setting it ends the sharing.
    var ownOrigin: StoredOrigin {
        get {
            guard origin.value.records.roots.count > 1 else { return origin.value }
            var own = origin.value
            let records = own.ownRecords(of: recordID, followingLinks: true)
            own.savedIDs = own.ownRecords(of: recordID, followingLinks: false).map(\.id)
            own.records = ResolvedRecords(roots: [recordID], records: records)
            return own
        }
        set { origin = Box(newValue) }
    }

    /// The metadata of the value's own record.
    public var metadata: Record.Metadata? { origin.value.records[recordID]?.metadata }

    /// The change tags of the records that the value was read from, by ID.
    ///
    /// - Complexity: O(*n*) for *n* records; for values that were fetched together, *n* fields and list elements.
    public var changeTags: [Record.ID: String] {
        var tags: [Record.ID: String] = [:]
        // Other values that were read together may be the targets of links.
        for record in origin.value.ownRecords(of: recordID, followingLinks: false) {
            tags[record.id] = record.metadata?.changeTag
        }
        return tags
    }

    /// Whether both values were certainly read from the same versions of the same records.
    package func hasSameVersions(as other: Stored) -> Bool {
        guard let ours = versions, let theirs = other.versions else { return false }
        return ours == theirs
    }

    /// The change tags of all records that the value may depend on; nil if one has never been in a database.
    package var versions: [Record.ID: String]? {
        var tags: [Record.ID: String] = [:]
        // A property may be stored as a link.
        for record in origin.value.ownRecords(of: recordID, followingLinks: true) {
            guard let tag = record.metadata?.changeTag else { return nil }
            tags[record.id] = tag
        }
        return tags
    }

    /// A string that changes whenever one of the value's records has a new version: for the header `ETag` of an HTTP
    /// response.
    ///
    /// It has 32 hexadecimal digits, without the quotes of the header: a digest of the IDs and change tags of all
    /// records that the value was read from. Changes of ``value`` do not change it before they are saved. For values
    /// that were fetched together, records also count that are referred to only by fields that the Swift type does not
    /// have, and those that are stored as links do not.
    ///
    /// - Complexity: O(*n* log *n*) for *n* ``changeTags``.
    public var entityTag: String {
        let lines = changeTags.map { "\($0.key)\u{0}\($0.value)" }.sorted()
        return XXH64.digest(of: ([recordID.description] + lines).joined(separator: "\u{1}"))
    }
}

extension Stored where Value: RecordCodable {
    /// The changes of the value since it was fetched or saved, which a save would send.
    ///
    /// - Returns: The records that are new in the value, those that are no longer part of it, and those with changed
    ///   fields.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)``.
    /// - Complexity: O(*n*) for *n* values, which are encoded; what differs from the records that were read is decoded and
    ///   encoded again.
    public func changes() throws -> RecordGraphDifference {
        let own = ownOrigin
        return try ValueChange(of: value, from: recordID, in: own.records, own.decoder).difference
    }
}

extension Stored: Sendable where Value: Sendable {}

extension Stored: Identifiable where Value: Identifiable {
    /// The ID of the value.
    public var id: Value.ID { value.id }
}

extension Stored: CustomStringConvertible {
    /// The value, and the version of its record.
    public var description: String { "\(value) (\(recordID), version \(metadata?.changeTag ?? "unknown"))" }
}

extension Stored: CustomReflectable {
    /// The value, the ID of its record and its metadata.
    public var customMirror: Mirror {
        Mirror(self, children: ["value": value, "recordID": recordID, "metadata": metadata as Any])
    }
}
