import Foundation
import NestedRecords

/// A server with the documented rules of Firestore's REST interface, in this process.
///
/// It uses no code of the adapter. Each rule names its page. What it cannot judge is whether the pages are right.
final class StandInServer: Sendable {
    struct State {
        private(set) var documents: [StandInName: StandInDocument] = [:]
        var last: Int64 = 0

        /// The former states of documents, in the order of their ends.
        private var former: [(end: StandInTime, path: StandInName, document: StandInDocument?)] = []

        mutating func put(_ document: StandInDocument?, at path: StandInName, _ time: StandInTime) {
            former.append((time, path, documents[path]))
            if former.count > 20_000 { former.removeFirst(10_000) }
            documents[path] = document
        }

        /// All documents as they were at a time.
        func documents(at time: StandInTime) -> [StandInName: StandInDocument] {
            var found = documents
            for state in former.reversed() {
                if state.end <= time { break }
                found[state.path] = state.document
            }
            return found
        }

        /// A document as it was at a time.
        func document(_ path: StandInName, at time: StandInTime) -> StandInDocument? {
            var found = documents[path]
            for state in former.reversed() {
                if state.end <= time { break }
                if state.path == path { found = state.document }
            }
            return found
        }
    }

    let root: String
    let state = Lock(State())

    /// The number of requests by their calls.
    let counts = Lock<[String: Int]>([:])

    init(project: String = "test", database: String = "(default)") {
        root = "projects/\(project)/databases/\(database)/documents"
    }

    /// Answers a request.
    ///
    /// - Returns: The status of HTTP, and the answer.
    func respond(path: String, body: [UInt8], token: String?) async -> (status: Int, json: StandInJSON) {
        let call = path.split(separator: ":").last.map(String.init) ?? ""
        counts.withLock { $0[call, default: 0] += 1 }
        do {
            guard token == "Bearer owner" else {
                throw StandInError(code: 401, status: "UNAUTHENTICATED", message: "invalid authentication credentials")
            }
            // "Maximum API request size: 10 MiB": https://firebase.google.com/docs/firestore/quotas#writes_and_transactions
            if body.count > 10 << 20 { throw StandInError.invalid("Request payload size exceeds the limit.") }
            guard let json = try? StandInJSON(body).named() else {
                throw StandInError.invalid("Invalid JSON payload received.")
            }
            let parent = String(path.dropFirst(3).dropLast(call.count + 1))
            guard path.hasPrefix("v1/"), parent.hasPrefix(root) else {
                throw StandInError.missing("The database does not exist.")
            }
            switch call {
            case "commit": return (200, try commit(json))
            case "batchGet": return (200, try await batchGet(json))
            case "runQuery": return (200, try runQuery(json, below: parent))
            case "runAggregationQuery": return (200, try runAggregationQuery(json, below: parent))
            case "listCollectionIds": return (200, try listCollectionIds(json, below: parent))
            default: throw StandInError.missing("Method not found.")
            }
        } catch let error as StandInError {
            let isList = ["batchGet", "runQuery", "runAggregationQuery"].contains(call)
            return (error.code, isList ? .list([error.json]) : error.json)
        } catch {
            return (500, StandInError(code: 500, status: "INTERNAL", message: "\(error)").json)
        }
    }

    /// A time after all others: update times increase "in a strict monotonic fashion", at the page of the service.
    ///
    /// https://firebase.google.com/docs/firestore/reference/rpc/google.firestore.v1
    static func tick(_ state: inout State) -> StandInTime {
        state.last = max(state.last + 1, Int64(Date().timeIntervalSince1970 * 1_000_000))
        return StandInTime(microseconds: state.last)
    }

    /// Puts a document without a request, as another program.
    func put(_ name: String, fields: String) throws {
        let fields = try StandInValue.fields(try StandInJSON(Array(fields.utf8)), depth: 0)
        state.withLock { state in
            let time = Self.tick(&state)
            let path = StandInName("\(root)/\(name)")
            let created = state.documents[path]?.created ?? time
            state.put(StandInDocument(fields: fields, created: created, updated: time), at: path, time)
        }
    }

    /// Removes all documents, as if the server had started again.
    func removeAll() { state.withLock { $0 = State() } }

    /// Sets a field of a document without a request, as `updateData` of an SDK.
    func set(_ name: String, _ field: String, _ value: String) throws {
        let value = try StandInValue(try StandInJSON(Array(value.utf8)), depth: 0)
        state.withLock { state in
            let time = Self.tick(&state)
            let path = StandInName("\(root)/\(name)")
            guard var document = state.documents[path] else { return }
            document.fields[StandInName(field)] = value
            document.updated = time
            state.put(document, at: path, time)
        }
    }

    /// The fields of a document as JSON; nil without it.
    func fields(_ name: String) -> StandInJSON? {
        state.withLock { state in
            state.documents[StandInName("\(root)/\(name)")].map { StandInValue.json($0.fields) }
        }
    }

    /// Checks the name of a document.
    ///
    /// https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields
    func path(_ json: StandInJSON?) throws -> StandInName {
        guard let text = json?.text, text.hasPrefix(root + "/") else {
            throw StandInError.invalid("a document has no name, or one of another database")
        }
        let parts = text.utf8.dropFirst(root.utf8.count + 1).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let names = parts.map { StandInName(String(decoding: Array($0), as: UTF8.self)) }
        guard names.count.isMultiple(of: 2) else {
            throw StandInError.invalid("Document name \"\(text)\" lacks a part.")
        }
        for name in names
        where name.bytes.isEmpty || [".", ".."].contains(name.text) || name.isReserved
            || name.bytes.count > 1_500
        {
            throw StandInError.invalid("Document name \"\(text)\" has invalid resource ID \"\(name.text)\".")
        }
        return StandInName(text)
    }
}

// MARK: Reading

extension StandInServer {
    // https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents/batchGet
    private func batchGet(_ json: StandInJSON) async throws -> StandInJSON {
        try json.checkMembers(["documents", "mask", "transaction", "newTransaction", "readTime"])
        let paths = try (json["documents"]?.list ?? []).map { try path($0) }
        let mask = try json["mask"].map {
            try ($0["fieldPaths"]?.list ?? []).map { try StandInDocument.path($0.text ?? "") }
        }
        var answers: [StandInJSON] = []
        if let text = json["readTime"]?.text {
            // "Reads documents as they were at the given time. This must be a microsecond precision timestamp within the past
            // one hour."
            guard json["newTransaction"] == nil, text.utf8.count <= 27, let time = StandInTime(text) else {
                throw StandInError.invalid("Invalid value at 'read_time'")
            }
            return .list(
                state.withLock { state in
                    paths.reversed().map { path in
                        guard let document = state.document(path, at: time) else {
                            return .make(["missing": .text(path.text), "readTime": .text(text)])
                        }
                        return .make(["found": document.json(path, mask: mask), "readTime": .text(text)])
                    }
                })
        }
        if let transaction = json["newTransaction"] {
            try transaction.checkMembers(["readOnly", "readWrite"])
            answers.append(.make(["transaction": .text("dHJhbnNhY3Rpb24=")]))
            answers += state.withLock { state in paths.map { answer($0, mask, &state) } }
        } else {
            // Without a transaction, documents need not be of one moment.
            for path in paths {
                answers.append(state.withLock { answer(path, mask, &$0) })
                await Task.yield()
            }
        }
        // "Documents returned by this method are not guaranteed to be returned in the same order that they were requested."
        return .list(answers.prefix(1) + answers.dropFirst().reversed())
    }

    private func answer(_ path: StandInName, _ mask: [[StandInName]]?, _ state: inout State) -> StandInJSON {
        let time = StandInJSON.text(Self.tick(&state).text)
        guard let document = state.documents[path] else {
            return .make(["missing": .text(path.text), "readTime": time])
        }
        return .make(["found": document.json(path, mask: mask), "readTime": time])
    }

    // https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents/listCollectionIds
    private func listCollectionIds(_ json: StandInJSON, below parent: String) throws -> StandInJSON {
        try json.checkMembers(["pageSize", "pageToken", "readTime"])
        let names = state.withLock { state in
            Set(
                state.documents.keys.compactMap { path -> String? in
                    guard path.bytes.starts(with: (parent + "/").utf8) else { return nil }
                    return String(
                        decoding: path.bytes.dropFirst(parent.utf8.count + 1).prefix { $0 != UInt8(ascii: "/") },
                        as: UTF8.self)
                })
        }.sorted()
        // Small pages, so that a test has several.
        let start = json["pageToken"]?.text.flatMap { Int($0) } ?? 0
        let end = min(start + 2, names.count)
        return .make([
            "collectionIds": start == end ? nil : .list(names[start..<end].map { .text($0) }),
            "nextPageToken": end < names.count ? .text("\(end)") : nil,
        ])
    }
}
