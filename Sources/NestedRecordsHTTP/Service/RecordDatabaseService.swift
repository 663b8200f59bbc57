@_spi(Engines) public import NestedRecords

/// The server's side of a ``RemoteRecordDatabase``: answers its requests from a database, in any framework.
///
/// ```swift
/// let service = RecordDatabaseService { request in
///     guard let user = try await sessions.user(of: request.headers["authorization"]) else {
///         throw RecordDatabaseError(.notSignedIn)
///     }
///     let store = try store.scoped(for: user) { $0.rule(Note.self) { $0.owner == user } }
///     return RecordDatabaseService.Access(reader: user, database: store.database)
/// }
/// let response = await service.respond(to: request)
/// ```
///
/// The framework passes each request whose path ends in a version and a call, as in `v1/fetch`, and sends the response with
/// its body as a stream. Compression, encryption and the deadline for the header of a request are the framework's.
public struct RecordDatabaseService: Sendable {
    /// Who has sent a request, and what they may read and write.
    public struct Access: Sendable {
        /// The reader, whose limits count the request and to whom outcomes belong.
        public var reader: String

        /// The database: a scope for this reader, or one without rules.
        public var database: any RecordDatabase

        /// Makes an access.
        public init(reader: String, database: any RecordDatabase) { (self.reader, self.database) = (reader, database) }
    }

    /// What the service accepts, and what it calls.
    public struct Options: Sendable {
        /// The maximum size of a request, in bytes.
        public var maximumRequestBytes = 16 << 20

        /// The maximum size of an asset, in bytes: 1 GiB.
        public var maximumAssetBytes: Int64 = 1 << 30

        /// The time for the body of a request to arrive; of an upload, for each 256 KiB of it.
        public var bodyDeadline = Duration.seconds(30)

        /// The time for a call that reads; a commit takes as long as its database.
        public var readDeadline = Duration.seconds(30)

        /// The longest time for which a request waits for changes.
        public var longestWait = Duration.seconds(25)

        /// How much one reader may ask for.
        public var quota = ReaderQuota()

        /// The time after which the outcome of a batch is forgotten, in a database that keeps no outcomes itself.
        public var outcomeAge = Duration.seconds(86_400)

        /// Returns the errors of the records that a batch may not have; none by default.
        ///
        /// It is called before the commit with the batch and the reader. The client gets the errors in `failures`, and
        /// nothing is written.
        public var check: @Sendable (RecordBatch, _ reader: String) async throws -> [Record.ID: any Error] = { _, _ in
            [:]
        }

        /// Called after each commit that was applied, with the batch, the new metadata and the reader.
        public var committed: @Sendable (RecordBatch, [Record.ID: Record.Metadata], _ reader: String) async -> Void = {
            _, _, _ in
        }

        /// Called with each error of the server: those that are not of the library, and those of damaged records.
        ///
        /// The client gets the status 500, or a list that ends with an error. For a log.
        public var failed: @Sendable (_ call: String, any Error) -> Void = { _, _ in }

        /// Makes options.
        public init() {}
    }

    private let options: Options
    private let access: @Sendable (RecordHTTPRequest) async throws -> Access
    private let usage: ReaderUsage

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - options: What it accepts.
    ///   - access: Returns who has sent a request and what they may use, or throws: `RecordDatabaseError` with the code
    ///     `notSignedIn` is answered with 401, `notPermitted` with 403, and `unsupportedVersion` with 426, for an app whose
    ///     `nestedrecords-app` or `nestedrecords-schema` is too old.
    public init(
        options: Options = Options(), access: @escaping @Sendable (RecordHTTPRequest) async throws -> Access
    ) {
        (self.options, self.access) = (options, access)
        usage = ReaderUsage(options.quota)
    }

    /// Answers a request.
    ///
    /// - Parameter request: The request; of its path the last two parts count.
    /// - Returns: The response; an error is a response too.
    public func respond(to request: RecordHTTPRequest) async -> RecordHTTPResponse {
        var name = request.path
        do {
            let parts = request.path.unicodeScalars.split(separator: "/").map { String($0) }
            if let path = AssetPath(method: request.method, parts) { return try await answer(path, request) }
            let call = try call(of: request, parts)
            name = call.rawValue
            let access = try await access(request)
            try usage.begin(of: access.reader)
            let size = Int(request.headers["content-length"] ?? "") ?? 0
            if size > options.maximumRequestBytes { throw ServiceError.tooLarge(options.maximumRequestBytes) }
            let calls = ServiceCalls(access: access, options: options, usage: usage)
            try calls.checkCapabilities(expectedBy: request)
            let open = usage.beginBody(of: access.reader)
            defer { withExtendedLifetime(open) {} }
            return try await calls.answer(call, try await message(in: request.body, open))
        } catch {
            return self.response(to: error, in: name)
        }
    }

    private func answer(_ path: AssetPath, _ request: RecordHTTPRequest) async throws -> RecordHTTPResponse {
        let access = try await access(request)
        try usage.begin(of: access.reader)
        try ServiceCalls(access: access, options: options, usage: usage).checkCapabilities(expectedBy: request)
        return try await AssetCalls(access: access, options: options, usage: usage).answer(path, request)
    }

    private func call(of request: RecordHTTPRequest, _ parts: [String]) throws -> Call {
        guard let last = parts.last, let version = parts.dropLast().last else {
            throw ServiceError.unknownCall(request.path)
        }
        // A path of bytes with another method.
        if version != Call.version, parts.suffix(4).contains(Call.version) {
            throw ServiceError.unknownCall("\(request.method) \(request.path)")
        }
        guard version == Call.version else {
            throw RecordDatabaseError(
                .unsupportedVersion,
                reason: "the service speaks the version \(Call.version), and the client \(version)",
                hint: "update the app")
        }
        guard let call = Call(rawValue: last), request.method == "POST" else {
            throw ServiceError.unknownCall("\(request.method) \(request.path)")
        }
        return call
    }

    private func message(in body: RecordHTTPBody, _ open: ReaderUsage.OpenBody) async throws -> Message {
        let limit = options.maximumRequestBytes
        let bytes = try await Deadline.within(options.bodyDeadline) {
            do {
                let counted = body.map { piece in
                    try open.add(piece.count)
                    return piece
                }
                return try await RecordHTTPBody(counted).bytes(atMost: limit)
            } catch let refusal as RecordDatabaseError {
                throw refusal
            } catch {
                // An error of the framework: the client's connection has ended, or was too slow for it.
                throw ServiceError.malformed("the body of the request did not arrive as a whole")
            }
        } orThrow: {
            ServiceError.malformed("the body of the request did not arrive in time")
        }
        guard let bytes else { throw ServiceError.tooLarge(limit) }
        do {
            return try Message(bytes)
        } catch is MessageEnd.Cut {
            throw ServiceError.malformed("the request is cut, or has no lines")
        }
    }

    private func response(to error: any Error, in call: String) -> RecordHTTPResponse {
        var error = error
        switch error {
        case let fault as MalformedMessage: error = ServiceError.malformed(fault.description)
        case let fault as RecordFormatError: error = ServiceError.malformed("\(fault)")
        default: break
        }
        let status = ServiceError.status(of: error)
        if status == 500, !(error is CancellationError) { options.failed(call, error) }
        let message = ErrorForm.message(of: error)
        // The record of an error was read from a database, which stores what can be written.
        let bytes = (try? message.bytes()) ?? []
        var response = RecordHTTPResponse(
            status: status, headers: ["content-type": Call.contentType], body: RecordHTTPBody(bytes))
        if let pause = (error as? RecordDatabaseError)?.retryAfter {
            response.headers["retry-after"] = "\(max(1, pause.components.seconds))"
        }
        return response
    }
}
