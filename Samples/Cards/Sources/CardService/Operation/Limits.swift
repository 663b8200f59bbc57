/// The limits of a service.
public struct Limits: Sendable {
    /// The requests of one user that are answered in a minute.
    public var requestsPerMinute = 600

    /// The event streams that one user may have open.
    public var streams = 5

    /// The commits that run at the same time.
    ///
    /// A record file writes those that wait for the disk together.
    public var runningCommits = 64

    /// The commits that wait; the service answers 503 to a request with another commit.
    public var waitingCommits = 256

    /// The records to keep in memory, so that decks and users need not be fetched for each request; 0 for no cache.
    ///
    /// With several processes, a change by another one is seen a little later than without a cache: also that a user is
    /// no longer a member.
    public var cachedRecords = 0

    /// The default limits.
    public init() {}
}
