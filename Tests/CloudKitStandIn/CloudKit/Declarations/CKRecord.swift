import Foundation

/// Page: cloudkit/ckrecord [differs: without the subscripts of objects, and without Sequence].
///
/// The page prints Sendable. Here a lock guards all state; what Apple's class promises two threads that change the same
/// record is not documented.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public final class CKRecord: NSObject, CKRecordKeyValueSetting, NSSecureCoding, NSCopying, Sendable {
    /// Page: cloudkit/ckrecord/recordtype-swift.typealias.
    public typealias RecordType = String

    /// Page: cloudkit/ckrecord/fieldkey.
    public typealias FieldKey = String

    let state: Locked<StandInRecord>

    init(_ state: StandInRecord) { self.state = Locked(state) }

    /// Page: cloudkit/ckrecord/init(recordtype:recordid:).
    public convenience init(recordType: CKRecord.RecordType, recordID: CKRecord.ID = CKRecord.ID()) {
        precondition(!recordType.isEmpty, "the page: a record type must not be empty")
        self.init(StandInRecord(type: recordType, id: recordID))
    }

    /// Page: cloudkit/ckrecord/init(coder:).
    public convenience init?(coder: NSCoder) {
        guard let state = StandInRecord(coder: coder) else { return nil }
        self.init(state)
    }

    /// Page: cloudkit/ckrecord/recordtype-6v7au.
    public var recordType: CKRecord.RecordType { state.value.type }

    /// Page: cloudkit/ckrecord/recordid.
    public var recordID: CKRecord.ID { state.value.id }

    /// Page: cloudkit/ckrecord/recordchangetag.
    public var recordChangeTag: String? { state.value.tag }

    /// Page: cloudkit/ckrecord/creationdate.
    public var creationDate: Date? { state.value.created }

    /// Page: cloudkit/ckrecord/modificationdate.
    public var modificationDate: Date? { state.value.modified }

    /// Page: cloudkit/ckrecord/creatoruserrecordid.
    public var creatorUserRecordID: CKRecord.ID? { state.value.creator }

    /// Page: cloudkit/ckrecord/lastmodifieduserrecordid.
    public var lastModifiedUserRecordID: CKRecord.ID? { state.value.modifier }

    /// Page: cloudkit/ckrecord/parent.
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    public var parent: CKRecord.Reference? {
        get { state.value.parent }
        set {
            precondition(newValue?.action != .deleteSelf, "the page: another action than none throws an exception")
            state.withLock { ($0.parent, $0.isParentChanged) = (newValue, true) }
        }
    }

    /// Page: cloudkit/ckrecord/share.
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    public var share: CKRecord.Reference? { state.value.share }

    /// Page: cloudkit/ckrecord/object(forkey:).
    public func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
        state.value.fields[key]?.object
    }

    /// Page: cloudkit/ckrecord/setobject(_:forkey:).
    public func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) {
        let value = object.map(StandInValue.init)
        state.withLock {
            $0.fields[key] = value
            $0.changed.insert(key)
        }
    }

    /// Page: cloudkit/ckrecord/allkeys().
    public func allKeys() -> [CKRecord.FieldKey] { Array(state.value.fields.keys) }

    /// Page: cloudkit/ckrecord/changedkeys().
    public func changedKeys() -> [CKRecord.FieldKey] { Array(state.value.changed) }

    /// Page: cloudkit/ckrecord/encodesystemfields(with:).
    public func encodeSystemFields(with coder: NSCoder) { state.value.encodeSystemFields(with: coder) }

    /// Page: foundation/nssecurecoding/supportssecurecoding.
    public static var supportsSecureCoding: Bool { true }

    /// Page: foundation/nscoding/encode(with:).
    public func encode(with coder: NSCoder) {
        precondition(allKeys().isEmpty, "the stand-in archives the system fields only")
        encodeSystemFields(with: coder)
    }

    /// Page: foundation/nscopying/copy(with:).
    public func copy(with zone: NSZone? = nil) -> Any { CKRecord(state.value) }
}
