import Foundation
@_spi(Engines) import NestedRecords

/// A record as CloudKit has it, without CloudKit's own class.
struct CloudKitFields: Sendable {
    let recordType: String
    let recordName: String
    var values: [String: CloudKitValue]
}

/// A record that was read.
struct StoredFields {
    /// The record, with its metadata.
    let record: Record

    /// Whether the record is marked as deleted.
    let isDeleted: Bool
}

/// What CloudKit itself knows of a record.
struct SystemFields {
    let changeTag: String
    let creationDate: Date
    let modificationDate: Date
}

/// Maps records to fields of CloudKit and back.
///
/// Invariant: `decode(encode(record))` is the record. A field has its native value, if CloudKit has one for it, and the field
/// `nr_rest` has the exact value, if the native one may be read as another. The exact one counts only as long as the native
/// one is that which was saved with it, so that the changes of other programs win.
struct RecordMapping: Sendable {
    let naming: CloudKitNaming

    /// Whether CloudKit deletes a record together with the record that owns it.
    let writesActions: Bool

    /// The fields, by type and name, that have no native value since their values are of several types.
    var untyped: Set<String> = []

    /// Whether assets are stored, of which a record has the hash.
    var storesAssets = false

    // MARK: Encoding

    /// - Parameters:
    ///   - record: The record, with the metadata of the save and without server timestamps.
    ///   - former: The fields of the record in CloudKit, of which values that records lack stay as they are.
    /// - Throws: `RecordDatabaseError` with the code `unsupported` for an asset; `RecordError` for values that are nested too
    ///   deeply.
    func encode(_ record: Record, over former: [String: CloudKitValue] = [:]) throws -> CloudKitFields {
        var values: [String: CloudKitValue] = [:]
        var (alone, exact): ([(String, Record.Value)], [(String, Record.Value)]) = ([], [])
        for (name, value) in record.fields {
            if case .foreign(let kind)? = former[name], value == Self.foreign(kind) { continue }
            guard let native = try native(value, of: name, in: record.id) else {
                alone.append((name, value))
                continue
            }
            values[name] = native
            if !isExact(native, for: value) { exact.append((name, value)) }
        }
        let rest = RestField(
            alone: try Record(id: record.id, fields: Record.Fields(alone), metadata: record.metadata),
            exact: Record.Fields(exact), digest: try RestField.digest(of: record.fields, record.id))
        values[RestField.name] = .bytes(try rest.data())
        return CloudKitFields(
            recordType: CloudKitNaming.recordType(of: record.id.type), recordName: naming.recordName(of: record.id),
            values: values)
    }

    /// The native value of a field; nil if CloudKit has none.
    private func native(_ value: Record.Value, of name: String, in id: Record.ID) throws -> CloudKitValue? {
        if !storesAssets, value.contains(where: { value, _ in value.kind == .asset }) {
            throw RecordDatabaseError(
                .unsupported, reason: "assets are not stored in CloudKit",
                context: RecordContext(record: id, field: name))
        }
        if !CloudKitNaming.canName(field: name) || untyped.contains("\(id.type).\(name)") { return nil }
        if id.type == ZoneAssetChunks.partType, case .bytes(let bytes) = value { return .file(bytes) }
        return native(value)
    }

    private func native(_ value: Record.Value) -> CloudKitValue? {
        guard case .list(let elements) = value else { return scalar(value) }
        let natives = elements.map { scalar($0) }
        guard let kind = natives.first??.kind, natives.allSatisfy({ $0?.kind == kind }) else { return nil }
        return .list(natives.compactMap { $0 })
    }

    private func scalar(_ value: Record.Value) -> CloudKitValue? {
        switch value {
        case .bool(let value): .integer(value ? 1 : 0)
        case .int(let value): .integer(value)
        case .double(let value): value.isFinite ? .double(value) : nil
        case .string(let value): .string(value)
        case .date(let value): Self.dates.contains(value.timeIntervalSinceReferenceDate) ? .date(value) : nil
        case .bytes(let value): .bytes(value)
        case .location(let value): .location(value)
        case .reference(let reference):
            naming.fault(of: reference.id) != nil
                ? nil
                : .reference(
                    CloudKitReference(
                        recordName: naming.recordName(of: reference.id),
                        isOwned: writesActions && reference.action == .deleteSelf))
        case .null, .list, .map, .asset, .serverTimestamp: nil
        }
    }

    /// The dates that are stored natively: those of the years 1 to 9999.
    private static let dates = -63_114_076_800.0...252_455_615_999.0

    /// Whether a native value is read as the value for certain.
    private func isExact(_ native: CloudKitValue, for value: Record.Value) -> Bool {
        switch (native, value) {
        case (.list(let natives), .list(let values)): zip(natives, values).allSatisfy { isExact($0, for: $1) }
        case (.string, .string), (.bytes, .bytes), (.file, .bytes), (.integer, .int): true
        case (.date(let date), .date):
            date.timeIntervalSinceReferenceDate.rounded() == date.timeIntervalSinceReferenceDate
                && date.timeIntervalSinceReferenceDate != 0
        case (.reference(let native), .reference(let reference)):
            naming.targets == nil && !reference.isLink && native.isOwned == (reference.action == .deleteSelf)
        default: false
        }
    }

    // MARK: Decoding

    /// The record of fields; nil for a record of the system or of another naming.
    ///
    /// - Throws: `RecordError` with the code `invalidResponse` for a reference whose type is unknown; the errors of
    ///   ``RestField``.
    func decode(_ fields: CloudKitFields, _ system: SystemFields) throws -> StoredFields? {
        guard let id = naming.id(ofRecordName: fields.recordName, recordType: fields.recordType) else { return nil }
        var natives = fields.values
        var rest: RestField?
        if case .bytes(let data)? = natives.removeValue(forKey: RestField.name) { rest = try RestField(data) }
        // A copy of another record has the rest of the other.
        if rest?.alone.id != id { rest = nil }
        if let rest, rest.isDeleted, natives.isEmpty { return StoredFields(record: rest.alone, isDeleted: true) }
        if rest?.isDeleted == true { rest = nil }
        var values = (rest?.alone.fields ?? [:]).filter { natives[$0.name] == nil }.map { ($0.name, $0.value) }
        for (name, exact) in rest?.exact ?? [:] {
            guard let saved = native(exact), let stored = natives[name], stored.isStoredForm(of: saved) else {
                continue
            }
            values.append((name, exact.owned(like: stored)))
            natives[name] = nil
        }
        for name in natives.keys.sorted() {
            guard let native = natives[name] else { continue }
            values.append((name, try value(of: native, field: name, in: id)))
        }
        let decoded = Record.Fields(values)
        var metadata = Record.Metadata(
            changeTag: system.changeTag, creationDate: system.creationDate, modificationDate: system.modificationDate)
        if let rest, let saved = rest.alone.metadata, try rest.digest == RestField.digest(of: decoded, id) {
            metadata = saved
        }
        return StoredFields(record: try Record(id: id, fields: decoded, metadata: metadata), isDeleted: false)
    }

    private func value(of native: CloudKitValue, field: String, in id: Record.ID) throws -> Record.Value {
        switch native {
        case .string(let value): return .string(value)
        case .integer(let value): return .int(value)
        case .double(let value): return .double(value)
        case .date(let value): return .date(value)
        case .bytes(let value), .file(let value): return .bytes(value)
        case .location(let value): return .location(value)
        case .list(let values): return .list(try values.map { try value(of: $0, field: field, in: id) })
        case .foreign(let kind): return Self.foreign(kind)
        case .reference(let reference):
            guard
                let target = naming.target(ofRecordName: reference.recordName, type: id.type, field: field)
            else {
                throw RecordError(
                    .invalidResponse,
                    reason:
                        "the field '\(field)' of \(id) refers to \(reference.recordName.debugDescription), whose type"
                        + " is unknown; state it in the naming, with .plain(targets:)",
                    recordID: id)
            }
            return .reference(Record.Reference(to: target, action: reference.isOwned ? .deleteSelf : .none))
        }
    }

    /// The value in the place of one that records do not have.
    static func foreign(_ kind: CloudKitValue.Foreign) -> Record.Value {
        kind == .emptyList ? .list([]) : .map(["$cloudkit": .string(kind.rawValue)])
    }
}

extension Record.Value {
    /// A reference that is owned if the stored one is: another program may have changed the action alone.
    fileprivate func owned(like stored: CloudKitValue) -> Record.Value {
        switch (self, stored) {
        case (.reference(var reference), .reference(let native)) where native.isOwned:
            reference.action = .deleteSelf
            return .reference(reference)
        case (.list(let values), .list(let natives)):
            return .list(zip(values, natives).map { $0.owned(like: $1) })
        default: return self
        }
    }
}
