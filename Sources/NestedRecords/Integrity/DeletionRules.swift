/// What a deletion does with the records that the deleted ones refer to.
public enum DeletionContents: Sendable, Hashable {
    /// They stay.
    case kept

    /// Those that nothing else refers to are deleted: the records that the values in question contain, at any depth.
    ///
    /// Links are not followed. A record stays if one refers to it, with a reference or a link, that is not deleted;
    /// then the records that it refers to stay too.
    case unshared
}

/// What a deletion does with references from records that stay to records that are deleted.
public enum OutsideReferences: Sendable, Hashable {
    /// They stay, and dangle.
    case dangle

    /// Nothing is deleted: ``RecordDatabaseError/stillReferenced(_:)``.
    case deny

    /// They are removed, in the same batch: fields and members of maps are left out, as are elements of lists.
    case clear
}
