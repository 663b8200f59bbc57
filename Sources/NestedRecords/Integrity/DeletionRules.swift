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
