/// The claim of a record on the value of a unique property: a record whose name is a digest of the value.
///
/// Two records that claim one value need a record of the same name, so a database that inserts names once keeps values
/// unique. A claim is in force while its owner exists and has the value. The owner is not a reference: a deletion of the
/// owner leaves a claim that is no longer in force.
struct UniqueClaim: Sendable {
    /// The record type of all claims.
    static let recordType = Record.ID.reservedTypePrefix + "UniqueValue"

    let owner: Record.ID
    let field: String
    let value: Record.Value

    private static let (ownerField, fieldField, valueField) = ("owner", "field", "value")

    /// The name of the claim's record: two claims have the same name if they are for the same type, field and value.
    var recordID: Record.ID {
        let text = [owner.type, field, SortKey(value).text].joined(separator: "\u{0}")
        return Record.ID(checkedType: Self.recordType, name: XXH64.digest(of: text))
    }

    var record: Record {
        Record(
            id: recordID,
            checkedFields: Record.Fields(
                names: [Self.ownerField, Self.fieldField, Self.valueField],
                values: [.string(owner.description), .string(field), value]))
    }

    /// Reads a claim; nil for a record of another type or with other fields.
    init?(_ record: Record) {
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
        owner.type == other.owner.type && field == other.field && SortKey(value) == SortKey(other.value)
    }

    /// Whether a version of the owner, nil if it does not exist, keeps the claim in force.
    func isInForce(with owner: Record?) -> Bool { owner?[field].map { SortKey($0) == SortKey(value) } ?? false }
}
