import NestedRecords

/// The last state of a record that both sides had, in the local database.
struct BaseRecord: Sendable {
    enum Sent: Sendable {
        case contents(Record.Fields)
        case deletion
    }

    /// The record.
    let id: Record.ID

    /// Nil for a record that was never acknowledged, of which a push is in flight.
    var state: RemoteState?

    /// What a push in flight has sent; nil without one.
    var sent: Sent?

    /// The fields that were sent as marks for the time of the remote database.
    var stamped: [String] = []

    /// The version in the database; nil for a new one.
    var metadata: Record.Metadata?

    init(of id: Record.ID) { self.id = id }

    init(_ record: Record, of id: Record.ID) throws {
        self.id = id
        if let fields = try record.contents("base") {
            state = RemoteState(fields: fields, tag: try record.requiredString("tag"))
        }
        if try record.flag("isDeleted") { sent = .deletion }
        if let fields = try record.contents("sent") { sent = .contents(fields) }
        if record["stamped"] != nil { stamped = try record.strings("stamped") }
        metadata = record.metadata
    }

    func record(_ names: LedgerNames) throws -> Record {
        var record = try Record(id: names.baseID(of: id), metadata: metadata)
        if let state {
            try record.setContents("base", to: state.fields, of: id)
            record["tag"] = .string(state.tag)
        }
        switch sent {
        case .contents(let fields)?: try record.setContents("sent", to: fields, of: id)
        case .deletion?: record["isDeleted"] = true
        case nil: break
        }
        if sent != nil, !stamped.isEmpty { record["stamped"] = .list(stamped.map { .string($0) }) }
        return record
    }

    /// Adds what stores this to a batch: a record without a state and without a push in flight is not kept.
    func add(to batch: inout RecordBatch, _ names: LedgerNames) throws {
        if state != nil || sent != nil {
            batch.saves.append(try record(names))
        } else if let metadata {
            batch.deletions.append(
                RecordBatch.VersionedID(try names.baseID(of: id), version: .changeTag(metadata.changeTag)))
        }
    }
}
