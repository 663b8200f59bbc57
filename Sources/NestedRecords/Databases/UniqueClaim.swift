/// The claim of a record on the value of a unique property: a record whose name is a digest of the value.
///
/// Two records that claim one value need a record of the same name, so a database that inserts names once keeps values
/// unique. A claim is in force while its owner exists and has the value. The owner is not a reference: a deletion of the
/// owner leaves a claim that is no longer in force.
package struct UniqueClaim: Sendable {
    /// The record type of all claims.
    package static let recordType = Record.ID.reservedTypePrefix + "UniqueValue"

    package let owner: Record.ID
    package let field: String
    let value: Record.Value

    private static let (ownerField, fieldField, valueField) = ("owner", "field", "value")

    /// The name of the claim's record: two claims have the same name if they are for the same type, field and value.
    ///
    /// No writer can choose two values whose claims have one name, and so take the value of another record.
    package var recordID: Record.ID {
        var bytes: [UInt8] = []
        // With their lengths, so that the end of one part cannot be the beginning of the next.
        for part in [Array(owner.type.utf8), Array(field.utf8), value.claimedBytes ?? []] {
            let length = UInt64(part.count)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
            bytes += part
        }
        return Record.ID(checkedType: Self.recordType, name: SHA256.digest(of: bytes))
    }

    package var record: Record {
        Record(
            id: recordID,
            checkedFields: Record.Fields(
                names: [Self.ownerField, Self.fieldField, Self.valueField],
                values: [.string(owner.description), .string(field), value]))
    }

    /// Reads a claim; nil for a record of another type or with other fields.
    package init?(_ record: Record) {
        guard record.id.type == Self.recordType, case .string(let owner)? = record[Self.ownerField],
            let owner = try? Record.ID(owner), case .string(let field)? = record[Self.fieldField],
            let value = record[Self.valueField]
        else { return nil }
        (self.owner, self.field, self.value) = (owner, field, value)
    }

    init(_ owner: Record.ID, field: String, value: Record.Value) {
        (self.owner, self.field, self.value) = (owner, field, value)
    }

    func isForSameValue(as other: UniqueClaim) -> Bool {
        owner.type == other.owner.type && field.hasSameBytes(as: other.field) && value.isClaimed(with: other.value)
    }

    /// Whether a version of the owner, nil if it does not exist, keeps the claim in force.
    package func isInForce(with owner: Record?) -> Bool { owner?[field].map(value.isClaimed) ?? false }
}

extension Record.ID {
    /// Whether the record claims a unique value: no database remembers its deletion, so that claims that come and go do
    /// not push the deletions of other records out of the history.
    package var isUniqueClaim: Bool { type.hasSameBytes(as: UniqueClaim.recordType) }
}

extension Record.Value {
    /// The bytes of the whole value; two values have the same bytes if a query finds one for the other.
    ///
    /// A ``SortKey`` is cut, and a writer can make two long values with one key. It is exact for the other kinds. Nil for
    /// a value that cannot be unique.
    var claimedBytes: [UInt8]? {
        guard kind.mayBeUnique else { return nil }
        if case .string(let text) = self { return [kind.sortByte] + text.utf8 }
        if case .bytes(let data) = self { return [kind.sortByte] + data }
        return SortKey(self).bytes
    }

    fileprivate func isClaimed(with other: Record.Value) -> Bool {
        guard let bytes = claimedBytes else { return false }
        return bytes == other.claimedBytes
    }
}
