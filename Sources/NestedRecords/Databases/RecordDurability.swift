/// What of a database in a file survives a loss of power.
///
/// A crash of the program alone loses nothing that was saved.
public enum RecordDurability: Sendable, Hashable {
    /// Every save that has returned.
    case full

    /// What was saved before the file was last brought into order, and an unknown part of what was saved since, in the
    /// order in which it was saved.
    ///
    /// Saves do not wait for the disk. A record file is brought into order when it is closed or compacted, a file of SQLite
    /// by a checkpoint.
    case relaxed
}
