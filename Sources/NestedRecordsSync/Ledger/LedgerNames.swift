import NestedRecords

/// The IDs of the records that a synchronization keeps in both databases.
struct LedgerNames: Sendable {
    /// The name of the synchronization: letters, digits and `_`.
    let link: String

    static let maximumLength = 64
    private static let prefix = Record.ID.reservedTypePrefix

    init(link: String) throws {
        let isValid =
            !link.isEmpty && link.utf8.count <= Self.maximumLength
            && link.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || "0"..."9" ~= $0)
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
        type.hasPrefix(basePrefix) ? String(type.dropFirst(basePrefix.count)) : nil
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
}
