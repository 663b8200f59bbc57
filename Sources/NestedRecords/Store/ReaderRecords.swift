/// The system records that belong to a reader, such as those that a synchronization keeps at its remote.
///
/// In the scope they have the names that the reader gives them; in the database each name is after a digest of the reader, so
/// that no other reader finds, changes or voids them.
struct ReaderRecords {
    /// The record types whose records belong to their readers.
    private static let types: Set<String> = [
        Record.ID.reservedTypePrefix + "Peer", Record.ID.reservedTypePrefix + "Commit",
    ]

    private static let digestSize = 32
    private let readerPrefix: String

    init(of reader: String) {
        readerPrefix = SHA256.digest(of: Array(reader.utf8)).prefix(Self.digestSize) + "."
    }

    static func has(_ id: Record.ID) -> Bool { has(type: id.type) }

    static func has(type: String) -> Bool { types.contains(type) }

    /// The name in the database after which a list goes on: before the first one of the reader for nil.
    func name(after name: String?) -> String { readerPrefix + (name ?? "") }

    /// Whether an ID of the database is of the reader.
    func isOwner(of id: Record.ID) -> Bool { id.name.utf8.starts(with: readerPrefix.utf8) }

    /// The ID in the database.
    ///
    /// - Throws: ``RecordError`` with the code `invalidID` for a name of more than 222 bytes.
    func stored(_ id: Record.ID) throws -> Record.ID { try Record.ID(type: id.type, name: readerPrefix + id.name) }

    func stored(_ record: Record) throws -> Record { record.named(try stored(record.id)) }

    /// The record with the name that the reader gave it.
    func shown(_ record: Record) throws -> Record { record.named(try shown(record.id)) }

    func shown(_ id: Record.ID) throws -> Record.ID {
        try Record.ID(
            type: id.type, name: String(decoding: id.name.utf8.dropFirst(readerPrefix.utf8.count), as: UTF8.self))
    }
}

extension Record {
    fileprivate func named(_ id: Record.ID) -> Record { Record(id: id, checkedFields: fields, metadata: metadata) }
}
