/// The treatment of records that deleted records refer to.
public enum DeletionContents: Sendable, Hashable {
    /// They stay.
    case kept

    /// Records without other references are deleted: those that only the deleted values contain, at any depth.
    ///
    /// Links are not followed. A record stays if a remaining record refers to it, with a reference or a link; then the
    /// records that it refers to stay too.
    case unshared
}

/// The treatment of references from remaining records to deleted ones.
public enum OutsideReferences: Sendable, Hashable {
    /// They stay, and dangle.
    case dangle

    /// Nothing is deleted: ``RecordDatabaseError/stillReferenced(_:)``.
    case deny

    /// They are removed in the same batch: their fields, members of maps and elements of lists are left out.
    case clear
}

/// What a deletion does beyond the record that it names.
///
/// Without an option a deletion fails while other records refer to the record.
public struct DeletionOptions: OptionSet, Sendable, Hashable {
    /// A bit for each option.
    public let rawValue: Int

    /// Makes options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Deletes the records too that the record owns, and those that these own:
    /// ``Record/Reference/Action/deleteSelf``.
    public static let cascading = DeletionOptions(rawValue: 1)

    /// Deletes the records too that only the deleted ones contain: ``DeletionContents/unshared``.
    public static let contents = DeletionOptions(rawValue: 2)

    /// Removes the references of remaining records to the deleted ones: ``OutsideReferences/clear``.
    public static let clearing = DeletionOptions(rawValue: 4)

    /// Leaves the references of remaining records, which dangle then: ``OutsideReferences/dangle``.
    public static let dangling = DeletionOptions(rawValue: 8)

    var contents: DeletionContents { contains(.contents) ? .unshared : .kept }

    var outsideReferences: OutsideReferences {
        contains(.dangling) ? .dangle : contains(.clearing) ? .clear : .deny
    }
}
