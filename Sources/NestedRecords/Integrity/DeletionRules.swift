/// What a deletion does beyond the records that it names.
///
/// Without an option a deletion fails while other records refer to the deleted ones:
/// `RecordDatabaseError.Code.stillReferenced`.
public struct DeletionOptions: OptionSet, Sendable, Hashable {
    /// A bit for each option.
    public let rawValue: Int

    /// Makes options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Deletes the records too that the deleted ones own.
    ///
    /// These are the records that refer to them with ``Record/Reference/Action/deleteSelf``, and so on. A record with
    /// several owners is deleted with the first.
    public static let cascading = DeletionOptions(rawValue: 1)

    /// Deletes the records too that only the deleted ones contain, at any depth; with ``cascading`` also what the records
    /// contain that belong to the deleted ones.
    ///
    /// Links are not followed. A record stays if a remaining record refers to it, with a reference or a link; then the
    /// records that it refers to stay too.
    public static let contents = DeletionOptions(rawValue: 2)

    /// Removes the references of remaining records to the deleted ones in the same batch: their fields, members of maps
    /// and elements of lists.
    public static let clearing = DeletionOptions(rawValue: 4)

    /// Leaves the references of remaining records, which dangle then.
    ///
    /// It has precedence over ``clearing``.
    public static let dangling = DeletionOptions(rawValue: 8)
}
