import NestedRecords

extension Record.ID {
    /// Whether it is a record that a synchronization, or the service between two databases, keeps for itself.
    package var isOfSynchronization: Bool {
        guard type.utf8.starts(with: Self.reservedTypePrefix.utf8) else { return false }
        let rest = type.utf8.dropFirst(Self.reservedTypePrefix.utf8.count)
        return ["Link", "Peer", "Commit"].contains { rest.elementsEqual($0.utf8) }
            || ["Base.", "Conflict.", "Rejected.", "Upload."].contains { rest.starts(with: $0.utf8) }
    }
}

/// The IDs of the records that a synchronization keeps in both databases.
struct LedgerNames: Sendable {
    /// The name of the synchronization: letters, digits and `_`.
    let link: String

    static let maximumLength = 64
    private static let prefix = Record.ID.reservedTypePrefix

    init(link: String) throws {
        let isValid =
            (1...Self.maximumLength).contains(link.utf8.count)
            && link.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == UInt8(ascii: "_")
            }
        guard isValid else {
            throw RecordDatabaseError(
                .invalidOptions,
                reason:
                    "the name of a synchronization has 1 to \(Self.maximumLength) ASCII letters, digits and '_', and"
                    + " \(link.debugDescription) does not")
        }
        self.link = link
    }

    func linkID() throws -> Record.ID { try Record.ID(type: Self.prefix + "Link", name: link) }

    /// The record in the remote database about the pushes of a replica.
    func peerID(of replica: String) throws -> Record.ID { try Record.ID(type: Self.prefix + "Peer", name: replica) }

    private var basePrefix: String { Self.prefix + "Base.\(link)." }

    /// The type of the bases of the records of a type, so that they are in the order of the records.
    func baseType(of type: String) -> String { basePrefix + type }

    /// The type of the records whose bases have a type; nil for other types.
    func type(ofBases type: String) -> String? {
        let prefix = basePrefix.utf8
        return type.utf8.starts(with: prefix) ? String(decoding: type.utf8.dropFirst(prefix.count), as: UTF8.self) : nil
    }

    func baseID(of id: Record.ID) throws -> Record.ID {
        do {
            return try Record.ID(type: baseType(of: id.type), name: id.name)
        } catch {
            throw RecordDatabaseError(
                .invalidOptions, reason: "its type is too long to be synchronized as '\(link)'", recordID: id)
        }
    }

    var conflictType: String { Self.prefix + "Conflict.\(link)" }
    var rejectedType: String { Self.prefix + "Rejected.\(link)" }

    /// The type of the records with the uploads of large contents that are not finished.
    var uploadType: String { Self.prefix + "Upload.\(link)" }
}
