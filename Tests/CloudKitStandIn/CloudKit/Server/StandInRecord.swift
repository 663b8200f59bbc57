import Foundation

/// The state of a `CKRecord`, and of a record in a zone.
struct StandInRecord: Sendable {
    let type: String
    var id: CKRecord.ID
    var tag: String?
    var created: Date?
    var modified: Date?
    var creator: CKRecord.ID?
    var modifier: CKRecord.ID?
    var parent: CKRecord.Reference?
    var share: CKRecord.Reference?
    var fields: [String: StandInValue] = [:]
    var changed: Set<String> = []
    var isParentChanged = false

    init(type: String, id: CKRecord.ID) { (self.type, self.id) = (type, id) }

    /// The system fields have the ID and the tag, neither the other fields nor the changed keys.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckrecord/encodesystemfields(with:)
    func encodeSystemFields(with coder: NSCoder) {
        coder.encode(type as NSString, forKey: "RecordType")
        id.encode(with: coder)
        for (key, text) in [("ChangeTag", tag), ("Creator", creator?.recordName), ("Modifier", modifier?.recordName)] {
            if let text { coder.encode(text as NSString, forKey: key) }
        }
        for (key, date) in [("Created", created), ("Modified", modified)] {
            if let date { coder.encode(date.timeIntervalSinceReferenceDate, forKey: key) }
        }
        if let parent { coder.encode(parent.recordID.recordName as NSString, forKey: "Parent") }
    }

    init?(coder: NSCoder) {
        guard let type = coder.text("RecordType"), !type.isEmpty, let id = CKRecord.ID(coder: coder) else { return nil }
        func date(_ key: String) -> Date? {
            coder.containsValue(forKey: key)
                ? Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: key)) : nil
        }
        self.init(type: type, id: id)
        tag = coder.text("ChangeTag")
        (created, modified) = (date("Created"), date("Modified"))
        creator = coder.text("Creator").map { CKRecord.ID(recordName: $0) }
        modifier = coder.text("Modifier").map { CKRecord.ID(recordName: $0) }
        parent = coder.text("Parent").map {
            CKRecord.Reference(recordID: CKRecord.ID(recordName: $0, zoneID: id.zoneID), action: .none)
        }
    }

    var size: Int { fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.size } }

    private var references: [CKRecord.Reference] { fields.values.flatMap(\.references) }

    /// Names of records that this one references.
    var targets: Set<String> { Set(references.map(\.recordID.recordName)) }

    /// Those of them whose deletion deletes this one.
    var owners: Set<String> { Set(references.filter { $0.action == .deleteSelf }.map(\.recordID.recordName)) }
}

extension NSCoder {
    /// The text of a key, or nil: a missing key is a decoding error without this test.
    func text(_ key: String) -> String? {
        guard containsValue(forKey: key) else { return nil }
        return decodeObject(of: NSString.self, forKey: key).map { String(describing: $0) }
    }
}
