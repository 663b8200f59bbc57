/// The limits of a service.
public struct Limits: Sendable {
    /// The requests of one user that are answered in a minute.
    public var requestsPerMinute = 600

    /// The connections that are open at the same time; those of further clients wait until one is closed.
    public var connections = 20_000

    /// The event streams that one user may have open.
    public var streams = 5

    /// The time for the head of a request, and for each next part of its body; also how long an unused connection is kept.
    public var idleTime: Duration = .seconds(30)

    /// The time for the whole body of a request.
    public var bodyTime: Duration = .seconds(60)

    /// The maximum size of a picture, in bytes: 5 MiB.
    public var pictureBytes = 5 << 20

    /// The time between two signs of life of an event stream.
    public var heartbeat: Duration = .seconds(10)

    /// The time in which a client must take a part of an answer; then its connection is closed.
    ///
    /// On systems other than Linux it is only for event streams.
    public var writeTime: Duration = .seconds(20)

    /// The time for the database to answer `/ready`.
    public var readyTime: Duration = .seconds(2)

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
