/// A database whose values are followed by another feed than that of its interface: those in a scope are read again when
/// something has changed, and need no feed that names what has left it.
protocol LiveDatabase: RecordDatabase {
    /// The feed for live values; nil without one.
    var liveFeed: (any RecordFeed)? { get }
}

extension RecordDatabase {
    /// The feed for live values; nil without one.
    var followedFeed: (any RecordFeed)? {
        if let database = self as? any LiveDatabase { return database.liveFeed }
        return feed
    }
}
