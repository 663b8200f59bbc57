import NestedRecords

/// A value that codes itself by a plan, embedded.
struct CallValue: Codable {
    let node: CallNode
    init(_ node: CallNode) { self.node = node }
    init(from decoder: any Decoder) throws { node = try CallReader(decoder).run() }
    func encode(to encoder: any Encoder) throws { try CallWriter(encoder).run(node) }
}

/// The same as a record.
struct CallRecord: RecordCodable {
    static var recordType: String { "Call" }
    var recordName: String { "\(node.number)" }
    let node: CallNode
    init(_ node: CallNode) { self.node = node }
    init(from decoder: any Decoder) throws { node = try CallReader(decoder).runAsRecordOfContainer() }
    init(handed decoder: any Decoder) throws { node = try CallReader(decoder).runAsRecord() }
    func encode(to encoder: any Encoder) throws { try CallWriter(encoder).run(node) }
}
