/// A value together with the versions of the records that it was read from.
///
/// ```swift
/// var school = try await database.fetch(School.self, named: "hilltop")
/// school.name = "Hilltop"
/// try await database.save(&school)  // or: school = try await database.save(school)
/// ```
///
/// The properties of the value are accessed directly, and the whole value through ``value``. A save sends only the
/// changed records, each as a new version of the one that was read, and keeps fields that the Swift type does not have.
/// If another writer has changed or deleted one of these records, nothing is saved, and the error has both versions.
///
/// A save finds the changes: it decodes the value again from the records that were read, and compares.
@dynamicMemberLookup
public struct Stored<Value> {
    /// The value, with the changes that were made to it.
    public var value: Value

    /// The ID of the value's record.
    public let id: Record.ID

    /// How the value was decoded.
    let decoder: RecordDecoder

    /// The records of the value, and of other values that were read together with it.
    var records: ResolvedRecords

    /// The records from which the last save decoded the value; the others were part of the value before.
    var savedIDs: [Record.ID]?

    /// The deletions that an interrupted save has not made.
    var openDeletions: [RecordBatch.Deletion] = []

    /// The encoded forms of records that are no longer part of the value.
    ///
    /// If such a record is put back, they distinguish fields that were set to nil from fields that the Swift type does
    /// not have.
    var formerRecords: [Record.ID: Record] = [:]

    init(_ value: Value, id: Record.ID, records: ResolvedRecords, decoder: RecordDecoder) {
        self.value = value
        self.id = id
        self.records = records
        self.decoder = decoder
    }

    init(_ resolution: RecordDecoder.Resolution<Value>, id: Record.ID, decoder: RecordDecoder)
    where Value: RecordDecodable {
        self.init(resolution.value, id: id, records: resolution.source, decoder: decoder)
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

extension Stored {
    /// The metadata of the value's own record.
    public var metadata: Record.Metadata? { records[id]?.metadata }

    /// The change tags of the records that the value was read from, by ID.
    ///
    /// - Complexity: O(*n*) for *n* records; for values that were fetched together, *n* fields and list elements.
    public var changeTags: [Record.ID: String] {
        var tags: [Record.ID: String] = [:]
        for record in ownRecords { tags[record.id] = record.metadata?.changeTag }
        return tags
    }

    /// A string that changes whenever one of the value's records has a new version: for the header `ETag` of an HTTP
    /// response.
    ///
    /// It has 32 hexadecimal digits, without the quotes of the header: a digest of the IDs and change tags of all
    /// records that the value was read from. Changes of ``value`` do not change it before they are saved. For values
    /// that were fetched together, records also count that are referred to only by fields that the Swift type does not
    /// have.
    ///
    /// - Complexity: O(*n* log *n*) for *n* ``changeTags``.
    public var entityTag: String {
        let lines = changeTags.map { "\($0.key)\u{0}\($0.value)" }.sorted()
        return XXH64.digest(of: ([id.description] + lines).joined(separator: "\u{1}"))
    }

    /// The records that are reachable from the value's own record.
    private var ownRecords: [Record] {
        if let savedIDs { return savedIDs.compactMap { records[$0] } }
        if records.roots.count == 1 { return Array(records.records) }
        var reached = IDInterner([id])
        var found: [Record] = []
        while found.count < reached.count {
            guard let record = records[reached.ids[found.count]] else { break }
            found.append(record)
            for reference in record.references where !reference.isLink && records[reference.id] != nil {
                reached.insert(reference.id)
            }
        }
        return found
    }
}

extension Stored where Value: RecordCodable {
    /// The changes of the value since it was fetched or saved, which a save would send.
    ///
    /// - Returns: The records that are new in the value, those that are no longer part of it, and those with changed
    ///   fields.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)``.
    /// - Complexity: O(*n*) for *n* values: the records that were read are decoded and encoded again.
    public func changes() throws -> RecordGraphDifference {
        let encoder = RecordEncoder(decoder.coding)
        let before = try encoder.encode(decoder.decode(Value.self, from: records.graph(root: id), root: id))
        return try encoder.encode(value).difference(from: before)
    }
}

extension Stored: Sendable where Value: Sendable {}

extension Stored: Identifiable {}

extension Stored: CustomStringConvertible {
    /// The value, and the version of its record.
    public var description: String { "\(value) (\(id), version \(metadata?.changeTag ?? "unknown"))" }
}

extension Stored: CustomReflectable {
    /// The value, its ID and its metadata.
    public var customMirror: Mirror {
        Mirror(self, children: ["value": value, "id": id, "metadata": metadata as Any])
    }
}
