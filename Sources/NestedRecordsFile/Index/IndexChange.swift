/// What a batch makes of one record: its place before and its new one, 0 for none.
struct IndexChange {
    let key: UInt64
    let old: UInt64
    let new: UInt64

    /// How many live bytes there are more.
    let liveBytes: Int
}

extension FileIndex {
    mutating func apply(_ change: IndexChange) {
        switch (change.old, change.new) {
        case (0, 0): break
        case (0, let new): insert(change.key, at: new)
        case (let old, 0): remove(change.key, at: old)
        case (let old, let new): move(change.key, from: old, to: new)
        }
    }
}
