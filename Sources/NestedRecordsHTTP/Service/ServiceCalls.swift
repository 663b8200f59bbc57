@_spi(Engines) import NestedRecords

/// The calls of one reader.
struct ServiceCalls: Sendable {
    let access: RecordDatabaseService.Access
    let options: RecordDatabaseService.Options
    let usage: ReaderUsage

    private var database: any RecordDatabase { access.database }

    private var commits: CommitRecords {
        CommitRecords(database: database, reader: access.reader, age: options.outcomeAge)
    }

    /// Throws unless the service can do what the client expects: outcomes are kept here, and audiences are declared on the
    /// server.
    func checkCapabilities(expectedBy request: RecordHTTPRequest) throws {
        guard let text = request.headers[HeaderName.capabilities] else { return }
        guard let bits = UInt32(text) else {
            throw ServiceError.malformed("the field \(HeaderName.capabilities) is not a number")
        }
        let own = database.capabilities.subtracting(.audiences)
        let missing = RecordCapabilities(rawValue: bits).subtracting(commits.areKept ? own.union(.outcomes) : own)
        if missing.isEmpty { return }
        throw RecordDatabaseError(
            .unsupported, .missing(missing), reason: "the service lacks \(missing)",
            hint: "make the client with the capabilities of the service")
    }

    func answer(_ call: Call, _ message: Message) async throws -> RecordHTTPResponse {
        switch call {
        case .list: return try list(message)
        case .commit: return try response(try await commit(message))
        case .wait: return try response(try await wait(message))
        case .finishUpload, .collect:
            return try response(
                try await AssetCalls(access: access, options: options, usage: usage).change(call, message))
        default:
            let answer = try await Deadline.within(options.readDeadline) {
                try await read(call, message)
            } orThrow: {
                RecordDatabaseError(.busy, reason: "the call takes longer than \(options.readDeadline)")
            }
            usage.add(records: answer.records.count, of: access.reader)
            return try response(answer)
        }
    }

    private func response(_ message: Message) throws -> RecordHTTPResponse {
        let bytes = try message.bytes()
        usage.add(bytes: bytes.count, of: access.reader)
        return RecordHTTPResponse(
            status: 200, headers: ["content-type": Call.contentType], body: RecordHTTPBody(bytes))
    }
}

// MARK: Reading

extension ServiceCalls {
    private func read(_ call: Call, _ message: Message) async throws -> Message {
        let map = message.map
        switch call {
        case .fetch: return Message([:], records: try await database.records(for: map.ids("ids")))
        case .versions:
            let limit = try map.integer("limit")
            let versions = try await database.versions(
                ofType: map.text("type"), after: map.optional("after", \.text), limit: limit)
            usage.add(examined: versions.count, of: access.reader)
            return Message(["versions": .list(versions.map(\.value))])
        case .types:
            let counts = try await recordCounts().sorted { $0.key < $1.key }
            return Message(["types": .list(counts.map { [.string($0.key), Record.Value($0.value)] })])
        case .page:
            let page = try await database.page(try query(map))
            usage.add(examined: page.examinedCount, of: access.reader)
            return Message(
                [
                    "next": page.next.map { .string($0.description) }, "examined": Record.Value(page.examinedCount),
                    "matches": Record.Value(page.matchCount), "isPushedDown": page.isPushedDown ? true : nil,
                ], records: page.records)
        case .count:
            let count = try await database.count(try query(map))
            usage.add(examined: count, of: access.reader)
            return Message(["count": Record.Value(count)])
        case .summaries:
            let summaries = try await database.summaries(
                of: query(map), field: map.optional("field", QueryForm.path),
                groupedBy: map.optional("group", GroupingForm.grouping))
            usage.add(examined: summaries.reduce(0) { $0 + $1.count }, of: access.reader)
            return Message(["summaries": .list(summaries.map(SummaryForm.value))])
        case .explanation: return Message(["text": .string(try await database.explanation(of: try query(map)))])
        case .referrers:
            return Message(["referrers": ReferrerForm.values(of: try await database.referrers(of: map.ids("ids")))])
        case .outcome:
            return Message(["saved": try await commits.outcome(of: map.text("id")).map(SavedForm.value)])
        case .changeToken: return Message(["token": .string(try await feed.changeToken().description)])
        case .oldestChangeToken: return Message(["token": .string(try await feed.oldestChangeToken().description)])
        case .changes:
            return FeedForm.message(
                of: try await feed.storedChanges(
                    since: map.required("since", FeedForm.token), limit: max(1, map.integer("limit"))))
        case .assets, .asset, .beginUpload, .uploadSize, .cancelUpload:
            return try await AssetCalls(access: access, options: options, usage: usage).read(call, message)
        case .commit, .list, .wait, .finishUpload, .collect: return Message([:])
        }
    }

    private func recordCounts() async throws -> [String: Int] {
        if let counter = database.typeCounter { return try await counter.recordCounts() }
        var (counts, sum) = ([String: Int](), 0)
        for try await record in database.records(ofType: nil) {
            counts[record.id.type, default: 0] += 1
            sum += 1
        }
        usage.add(examined: sum, of: access.reader)
        return counts
    }

    private func query(_ map: Record.Fields) throws -> RecordQuery { try map.required("query", QueryForm.query) }

    private var feed: any RecordFeed {
        get throws {
            if let feed = database.feed { return feed }
            throw RecordDatabaseError(.noFeed)
        }
    }

    /// A list is sent while it is read.
    private func list(_ message: Message) throws -> RecordHTTPResponse {
        let type = try message.map.optional("type", \.text)
        let open = try usage.beginList(of: access.reader)
        let (database, usage, reader, failed) = (database, usage, access.reader, options.failed)
        return RecordHTTPResponse(
            status: 200, headers: ["content-type": Call.contentType],
            body: RecordHTTPBody {
                ListPieces(
                    records: database.storedRecords(ofType: type).makeAsyncIterator(), open: open,
                    note: { usage.add(examined: $0, records: $0, bytes: $1, of: reader) },
                    failed: { failed(Call.list.rawValue, $0) })
            })
    }

    private func wait(_ message: Message) async throws -> Message {
        let token = try message.map.required("after", FeedForm.token)
        let asked = Duration.seconds(min(max(0, try message.map.required("seconds", \.double)), 3_600))
        let feed = try feed
        try usage.beginWait(of: access.reader)
        defer { usage.endWait(of: access.reader) }
        let hasChanged = try await withThrowingTaskGroup(of: Bool.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await feed.waitForChanges(after: token)
                return true
            }
            group.addTask {
                try await Task.sleep(for: min(asked, options.longestWait).asPause)
                return false
            }
            return try await group.next() ?? false
        }
        return Message(["changed": .bool(hasChanged)])
    }
}

/// The lines of a list.
private struct ListPieces: AsyncIteratorProtocol {
    var records: RecordSequence.Iterator
    let open: ReaderUsage.OpenList
    let note: @Sendable (_ records: Int, _ bytes: Int) -> Void
    let failed: @Sendable (any Error) -> Void
    private var isBegun = false
    private var isEnded = false
    private var count = 0

    /// The number of records of a piece.
    private static let pieceSize = 100

    init(
        records: RecordSequence.Iterator, open: ReaderUsage.OpenList,
        note: @escaping @Sendable (_ records: Int, _ bytes: Int) -> Void,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        (self.records, self.open, self.note, self.failed) = (records, open, note, failed)
    }

    mutating func next() async throws -> [UInt8]? {
        if isEnded { return nil }
        var piece = isBegun ? [] : Message.line([:])
        isBegun = true
        do {
            var (writer, size) = (RecordLineWriter(), 0)
            while size < Self.pieceSize, let record = try await records.next() {
                try writer.write(record)
                size += 1
            }
            count += size
            isEnded = size < Self.pieceSize
            piece += writer.takeBytes()
            if isEnded { piece += Message.end(count) }
            note(size, piece.count)
        } catch {
            isEnded = true
            if ServiceError.status(of: error) == 500, !(error is CancellationError) { failed(error) }
            piece += Message.line(["error": .map(ErrorForm.map(of: error))])
        }
        return piece
    }
}

// MARK: Writing

extension ServiceCalls {
    private func commit(_ message: Message) async throws -> Message {
        let batch = try BatchForm.batch(in: message)
        let failures = try await options.check(batch, access.reader)
        if let first = failures.keys.min() {
            var error = RecordDatabaseError(.notPermitted, reason: "the service refuses the batch", recordID: first)
            error.failures = failures
            throw error
        }
        let saved = try await commits.commit(batch)
        if commits.areKept, usage.beginsRemoval(of: access.reader) {
            do { try await commits.removeOld() } catch { options.failed(Call.commit.rawValue, error) }
        }
        await options.committed(batch, saved, access.reader)
        return Message(["saved": SavedForm.value(of: saved)])
    }
}
