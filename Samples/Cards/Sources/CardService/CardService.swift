import CardModel
public import Hummingbird
public import Logging
import NIOCore
public import NestedRecords

/// The web service of learning cards.
public struct CardService: Sendable {
    let access: Access
    private let tokens: Tokens
    private let names: Set<String>
    private let limits: Limits
    private let logger: Logger

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - database: The database with all records.
    ///   - users: The names of the users by their tokens.
    ///   - limits: The limits.
    ///   - logger: Gets a line for each request; on its level debug also for each call of the database.
    /// - Throws: `RecordDatabaseError.Code.noFeed` if there is to be a cache, and the database has no feed of changes.
    public init(
        _ database: any RecordDatabase, users: [String: String], limits: Limits = Limits(),
        logger: Logger = Logger(label: "cards")
    ) throws {
        access = Access(try servedDatabase(database, limits, logger), logger)
        (tokens, names) = (Tokens(users), Set(users.values))
        (self.limits, self.logger) = (limits, logger)
    }

    /// The indexes that the lists use, for databases that have indexes.
    public static var indexes: [FieldIndex] {
        get throws { try FieldIndex.declared(by: Deck.self, Card.self) }
    }

    /// The application, which answers requests until it is asked to stop.
    ///
    /// - Parameters:
    ///   - host: The address of this machine to answer on; by default, only programs on this machine reach it.
    ///   - port: The port.
    public func application(host: String = "127.0.0.1", port: Int) -> some ApplicationProtocol {
        let router = Router(context: CardsContext.self)
        let streams = OpenStreams(limit: limits.streams)
        let readiness = Readiness(access, timeLimit: limits.readyTime)
        router.add(middleware: MetricsMiddleware())
        router.add(middleware: ProblemMiddleware(tokens: tokens))
        StateRoutes(readiness: readiness, streams: streams).add(to: router)
        PageRoutes().add(to: router)
        RecordRoutes(access, tokens, limits).add(to: router)
        let users = router.group()
            .add(middleware: RateLimit(tokens, requestsPerMinute: limits.requestsPerMinute))
            .add(middleware: Authentication(tokens: tokens))
        UserRoute().add(to: users)
        let decks = users.group("decks")
        DeckRoutes(access: access, bodyTime: limits.bodyTime).add(to: decks)
        CardRoutes(access: access, limits: limits).add(to: decks)
        ExportRoute(access: access).add(to: decks)
        EventRoute(access: access, streams: streams, limits: limits).add(to: decks)
        var application = Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [UnacknowledgedBytes(time: limits.writeTime)],
                    idleTimeout: TimeAmount(limits.idleTime))),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port),
                availableConnectionsDelegate: .maximum(limits.connections, logger: logger)),
            logger: logger)
        application.beforeServerStarts { try await access.prepare(users: names) }
        application.addServices(PictureCollection(access: access))
        return application
    }
}
