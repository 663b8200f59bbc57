@_spi(Engines) public import NestedRecords

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A database on a server, over HTTP: the client of a ``RecordDatabaseService``.
///
/// ```swift
/// let server = RemoteRecordDatabase(URL(string: "https://example.org/records")!)
/// let store = RecordStore(server)
/// ```
///
/// Each call is one request. A commit happens once: the client names each batch, and after a lost answer it asks for the
/// outcome, which voids a batch that has not arrived. The article <doc:YourOwnServer> has both sides.
public struct RemoteRecordDatabase: RecordDatabase, RecordFeed {
    /// What the client expects of the service, and sends along.
    public struct Options: Sendable {
        /// What the service's database can do.
        ///
        /// A service that lacks one of them refuses each call, and does nothing.
        public var capabilities: RecordCapabilities = [.all, .outcomes]

        /// How much a request may have, and how often a `RecordStore` repeats one.
        ///
        /// By default 10,000 records, 8 MiB of their typed JSON, and the default `RetryPolicy` with repeated calls.
        public var limits: RecordDatabaseLimits

        /// Whether the service's database keeps assets.
        public var keepsAssets = true

        /// The time until an answer begins.
        public var deadline = Duration.seconds(60)

        /// The time for which a request waits for changes, which must be shorter than ``deadline``.
        public var longestWait = Duration.seconds(25)

        /// The version of the app, for the service's author; nil for none.
        public var appVersion: String?

        /// The version of the app's model, for the service's author; nil for none.
        public var schemaVersion: String?

        /// Returns the access token that is sent as `Authorization: Bearer …`; nil, the default, without one.
        ///
        /// The argument is nil at first. After an answer 401 it is the token that was refused, and the call is sent once more
        /// with the result.
        public var accessToken: (@Sendable (_ refused: String?) async throws -> String)?

        /// Makes options.
        public init() {
            limits = RecordDatabaseLimits(batchCount: 10_000)
            limits.batchBytes = 8 << 20
            limits.recordSize = Self.lineSize
            limits.retries = RetryPolicy(repeatsTransientErrors: true)
        }

        /// The bytes of the line of a record.
        private static let lineSize: @Sendable (Record) -> Int = { record in
            var writer = RecordLineWriter()
            // A record that cannot be written is refused when it is sent.
            try? writer.write(record)
            return writer.bytes.count
        }
    }

    let exchange: ServiceExchange
    private var options: Options { exchange.options }

    /// Makes a client of the service at an address.
    ///
    /// No request is sent before the first call.
    ///
    /// - Parameters:
    ///   - url: The address of the service, without the version of the protocol.
    ///   - options: What the client expects.
    public init(_ url: URL, options: Options = Options()) {
        self.init(URLSessionTransport(url), options: options)
    }

    /// Makes a client with a transport of one's own.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - options: What the client expects.
    public init(_ transport: some RecordHTTPTransport, options: Options = Options()) {
        exchange = ServiceExchange(transport: transport, options: options)
    }
}

// MARK: Reading and writing

extension RemoteRecordDatabase {
    /// The limits of the options.
    public var limits: RecordDatabaseLimits { options.limits }

    /// The capabilities of the options.
    public var capabilities: RecordCapabilities { options.capabilities }

    /// The assets of the service's database; nil if the options say that it keeps none.
    ///
    /// Its calls are repeated as ``limits`` say.
    public var assets: (any AssetStorage)? {
        if !options.keepsAssets { return nil }
        return RetriedAssets(RemoteAssets(exchange: exchange), limits.retries ?? RetryPolicy())
    }

    /// The request that uploads a file, or the rest of it, for a background session of the system.
    ///
    /// ```swift
    /// let upload = try await store.assets.beginUpload()
    /// let request = try await server.uploadRequest(upload, at: 0)
    /// // uploadTask(with: URLRequest(…), fromFile: url) of a background URLSession; at the next start of the app:
    /// photo = try await store.assets.add(file: url.path, continuing: upload)
    /// ```
    ///
    /// The bytes of an upload that the system has cut stay, and `AssetStore` sends the rest.
    ///
    /// - Parameters:
    ///   - upload: The identifier of the upload.
    ///   - offset: The number of bytes that the upload has, a multiple of `AssetContent.chunkSize`.
    /// - Returns: The method, the path after the address of the service, and the header, without a body.
    /// - Throws: Errors of the closure for the access token.
    public func uploadRequest(_ upload: String, at offset: Int64) async throws -> RecordHTTPRequest {
        let path = AssetPath.upload(upload, offset: offset)
        return exchange.prepared(
            RecordHTTPRequest(
                method: path.method, path: path.path, headers: ["content-type": "application/octet-stream"]),
            try await options.accessToken?(nil))
    }

    /// Fetches records with one request.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        try checkCount(of: ids)
        return ids.isEmpty ? [] : try await exchange.send(.fetch, Message(["ids": Record.Value(ids)]), \.records)
    }

    /// Applies a batch once.
    ///
    /// - Throws: `RecordDatabaseError` with the code `unknownOutcome` if the answer is lost and the service cannot be asked;
    ///   with a named batch also if it could be asked, since the caller does that. The errors of the service's database.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        if batch.isEmpty { return [:] }
        let id = batch.id ?? RecordBatch.makeID()
        var sent = batch
        if capabilities.contains(.outcomes) { sent.id = id }
        do {
            return try await exchange.send(.commit, BatchForm.message(of: sent), batch: sent) {
                try $0.map.required("saved", SavedForm.saved)
            }
        } catch  where Self.hidesOutcome(error) {
            guard sent.id != nil, batch.id == nil else {
                throw RecordDatabaseError(.unknownOutcome, sent.id.map { .batch($0) }, underlyingError: error)
            }
            if let saved = try await settled(id) { return saved }
            // The identifier is void now, and the next attempt has another.
            throw RecordDatabaseError(.connectionLost, .system(operation: "save"))
        } catch let error as RecordDatabaseError where error.code == .batchVoided && batch.id == nil {
            // The network may have sent the batch twice: the other copy was faster.
            if let saved = try await settled(id) { return saved }
            throw error
        }
    }

    /// Whether the batch of a commit may be applied in spite of an error: its answer is lost, or not of the protocol.
    private static func hidesOutcome(_ error: any Error) -> Bool {
        RecordDatabaseError.Code.connectionLost ~= error || RecordError.Code.invalidResponse ~= error
    }

    /// The outcome of a batch that was sent.
    private func settled(_ id: String) async throws -> [Record.ID: Record.Metadata]? {
        do {
            return try await outcome(of: id)
        } catch {
            throw RecordDatabaseError(.unknownOutcome, .batch(id), underlyingError: error)
        }
    }

    /// Asks the service what became of a batch.
    public func outcome(of id: String) async throws -> [Record.ID: Record.Metadata]? {
        try require(.outcomes, for: "the outcome of a batch")
        return try await exchange.send(.outcome, Message(["id": .string(id)])) {
            try $0.map.optional("saved", SavedForm.saved)
        }
    }

    /// Lists records while they arrive.
    ///
    /// A list that is cut ends with an error, and is not repeated.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(pages: { [exchange] in
            RemotePages(exchange: exchange, message: Message(["type": type.map { .string($0) }]))
        })
    }

    /// Returns a page of versions.
    public func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID]
    {
        let message = Message([
            "type": .string(type), "after": name.map { .string($0) }, "limit": Record.Value(limit),
        ])
        return try await exchange.send(.versions, message) {
            try $0.map.list("versions") { try RecordBatch.VersionedID($0) }
        }
    }
}

extension RemoteRecordDatabase: TypeCountingRecordDatabase {
    package func recordCounts() async throws -> [String: Int] {
        let counts = try await exchange.send(.types, Message([:])) {
            try $0.map.list("types") { value -> (String, Int)? in
                guard let parts = value.list, parts.count == 2, let type = parts[0].text,
                    let count = parts[1].integer
                else { return nil }
                return (type, count)
            }
        }
        return Dictionary(counts, uniquingKeysWith: +)
    }
}

private struct RemotePages: AsyncIteratorProtocol {
    let exchange: ServiceExchange
    let message: Message
    private var records: ArrivingRecords?

    init(exchange: ServiceExchange, message: Message) { (self.exchange, self.message) = (exchange, message) }

    mutating func next() async throws -> [Record]? {
        var arriving: ArrivingRecords
        if let records {
            arriving = records
        } else {
            arriving = ArrivingRecords(try await exchange.begin(.list, message))
        }
        defer { records = arriving }
        do {
            return try await arriving.next()
        } catch {
            throw ServiceExchange.failure(of: error, to: Call.list.rawValue)
        }
    }
}

// MARK: Queries

extension RemoteRecordDatabase {
    /// Returns a page of a query, which the service finds.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        try await exchange.send(.page, Message(["query": QueryForm.value(of: query)])) { answer in
            RecordPage(
                records: query.fields == nil ? answer.records : answer.records.map { $0.partial(query.fields) },
                next: try answer.map.optional("next") { try $0.text.map { try QueryCursor(text: $0) } },
                examinedCount: try answer.map.integer("examined"), matchCount: try answer.map.integer("matches"),
                isPushedDown: try answer.map.optional("isPushedDown", \.bool) ?? false)
        }
    }

    /// Counts the records of a query on the service.
    public func count(_ query: RecordQuery) async throws -> Int {
        try await exchange.send(.count, Message(["query": QueryForm.value(of: query)])) { try $0.map.integer("count") }
    }

    /// Summarizes the records of a query on the service.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        let message = Message([
            "query": QueryForm.value(of: query), "field": field.map { QueryForm.value(of: $0) },
            "group": group.map { GroupingForm.value(of: $0) },
        ])
        return try await exchange.send(.summaries, message) { try $0.map.list("summaries", SummaryForm.summary) }
    }

    /// Asks the service how it finds a page.
    public func explanation(of query: RecordQuery) async throws -> String {
        try await exchange.send(.explanation, Message(["query": QueryForm.value(of: query)])) {
            try $0.map.text("text")
        }
    }

    /// Finds references on the service.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        if ids.isEmpty { return [:] }
        let found = try await exchange.send(.referrers, Message(["ids": Record.Value(ids)])) {
            try $0.map.list("referrers", ReferrerForm.referrer)
        }
        return Dictionary(grouping: found, by: \.target).mapValues { $0.map(\.referrer) }
    }
}

// MARK: Changes

extension RemoteRecordDatabase {
    /// Asks the service for its position.
    public func changeToken() async throws -> ChangeToken {
        try await exchange.send(.changeToken, Message([:])) { try $0.map.required("token", FeedForm.token) }
    }

    /// Asks the service for the beginning of its history.
    public func oldestChangeToken() async throws -> ChangeToken {
        try await exchange.send(.oldestChangeToken, Message([:])) { try $0.map.required("token", FeedForm.token) }
    }

    /// Returns changes with one request.
    public func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        let message = Message(["since": .string(token.description), "limit": Record.Value(limit)])
        return try await exchange.send(.changes, message, FeedForm.changes)
    }

    /// Waits for a change with requests that the service holds until there is one.
    public func waitForChanges(after token: ChangeToken) async throws {
        let message = Message([
            "after": .string(token.description), "seconds": .double(options.longestWait.inSeconds),
        ])
        while !(try await exchange.send(.wait, message, { try $0.map.required("changed", \.bool) })) {
            try Task.checkCancellation()
        }
    }
}
