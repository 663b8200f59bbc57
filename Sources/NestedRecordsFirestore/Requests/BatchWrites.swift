import NestedRecords

/// The writes of a batch, in the order of its saves, deletions and conditions.
///
/// https://firebase.google.com/docs/firestore/reference/rest/v1/Write
struct BatchWrites {
    let writes: [JSONValue]

    /// Whether a required version is not a time, so that no document can have it.
    let isUnmet: Bool

    /// - Throws: `RecordDatabaseError` with the code `recordTooLarge`; the errors of ``DocumentEncoder``.
    init(_ batch: RecordBatch, save: String, _ names: DocumentNames) throws {
        var writes: [JSONValue] = []
        var versions: [RecordBatch.Version] = []
        for record in batch.saves {
            let document = try DocumentEncoder.document(of: record, save: save, names)
            let path = names.path(of: record.id)
            let size = DocumentSize.bytes(ofDocument: path, fields: document.fields)
            if size > DocumentSize.most {
                throw RecordDatabaseError(
                    .recordTooLarge, reason: "it has \(size) bytes, and a document has at most \(DocumentSize.most)",
                    context: RecordContext(record: record.id, field: DocumentSize.largestField(document.fields)))
            }
            let version: RecordBatch.Version =
                batch.savePolicy == .overwrite ? .any : RecordBatch.Version(of: record)
            versions.append(version)
            writes.append(
                .object([
                    "update": .object(["name": path.json, "fields": document.fields]),
                    "updateTransforms": document.timestamps.isEmpty
                        ? nil
                        : .list(
                            document.timestamps.map {
                                .object(["fieldPath": $0.json, "setToServerValue": "REQUEST_TIME".json])
                            }),
                    "currentDocument": Self.precondition(version),
                ]))
        }
        for deletion in batch.deletions {
            versions.append(deletion.version)
            writes.append(Self.deletion(deletion, names))
        }
        for condition in batch.conditions where condition.version != .any {
            versions.append(condition.version)
            writes.append(
                // An update of no fields changes nothing, and a missing document is not deleted.
                condition.version == .missing
                    ? Self.deletion(condition, names)
                    : .object([
                        "update": .object(["name": names.path(of: condition.id).json]), "updateMask": .object([:]),
                        "currentDocument": Self.precondition(condition.version),
                    ]))
        }
        self.writes = writes
        isUnmet = versions.contains { if case .changeTag(let tag) = $0 { !Timestamp.isUpdateTime(tag) } else { false } }
    }

    private static func deletion(_ id: RecordBatch.VersionedID, _ names: DocumentNames) -> JSONValue {
        .object(["delete": names.path(of: id.id).json, "currentDocument": precondition(id.version)])
    }

    private static func precondition(_ version: RecordBatch.Version) -> JSONValue? {
        switch version {
        case .any: nil
        case .missing: .object(["exists": .bool(false)])
        case .exists: .object(["exists": .bool(true)])
        case .changeTag(let tag): .object(["updateTime": tag.json])
        }
    }
}
