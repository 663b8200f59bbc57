/// The saves in a database file that survive a loss of power.
///
/// A crash of the program alone loses no saves.
public enum RecordDurability: Sendable, Hashable {
    /// Every save that has returned.
    case full

    /// The saves before the last synchronization of the file, and an unknown number of saves since then, in order.
    ///
    /// Saves do not wait for the disk. A record file is synchronized when it is closed or compacted, an SQLite file by a
    /// checkpoint.
    case relaxed
}
