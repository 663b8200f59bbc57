#if PostgreSQL
@_spi(Engines) package import NestedRecords

extension PostgreSQLRecordDatabase: AudienceFeed {
    package func changeToken(of view: AudienceView) async throws -> ChangeToken {
        var pause = Duration.milliseconds(1)
        while true {
            var catalog = try await readCatalog()
            for need in view.needs where catalog.audiences[need.recordType].map({ $0.since == nil }) ?? false {
                try await completeAudience(ofType: need.recordType)
                catalog = try await readCatalog()
            }
            let token = try await changeToken()
            switch try catalog.refusal(of: view, since: token.place(in: token.store).position) {
            case nil: return token
            case .undeclared(let need): throw RecordDatabaseError(.undeclared(need))
            // The declaration waits for another transaction.
            case .purged: break
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(500))
        }
    }

    package func changes(
        of view: AudienceView, since token: AudienceToken, limit: Int
    ) async throws -> AudienceChanges {
        // As for the changes of the database, this call waits if the changes only wait for another transaction.
        var pause = Duration.milliseconds(1)
        while pause < .milliseconds(500) {
            let page = try await page(of: view, since: token, limit: limit)
            if !page.changes.isEmpty || page.changes.isComplete || page.listing != token.listing { return page }
            try await Task.sleep(for: pause)
            pause *= 2
        }
        return try await page(of: view, since: token, limit: limit)
    }

    package func completeAudience(ofType type: String) async throws {
        guard let stored = try await readCatalog().audiences[type], stored.since == nil,
            let audience = try stored.audience.get()
        else { return }
        var pages = RecordPages(of: self, .type(type))
        while let records = try await pages.next() {
            try await execute([tables.entryAddition(records, audience, tag: stored.tag)])
        }
        try await execute(tables.completion(ofType: type, tag: stored.tag, token: .random(in: 1 ... .max)))
        _ = try await readCatalog()
    }

    /// Reads a page in three steps: its end and the reader's containers, the changes, and the records.
    ///
    /// All steps see what was changed up to the end, which does not move: every transaction until then has ended. What others
    /// change between the steps has a greater number, and follows on a later page.
    private func page(of view: AudienceView, since token: AudienceToken, limit: Int) async throws -> AudienceChanges {
        try require(.audiences, for: "the feed of a reader")
        let limit = max(1, limit)
        let memberships = view.memberships.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        let head = try await read(tables.audienceHead(since: token.base, memberships))
        try check(token.base, head)
        let catalog = try await knownCatalog()
        if head.integer(0, 4) != catalog.generation {
            _ = try await readCatalog()
            return try await page(of: view, since: token, limit: limit)
        }
        let start = try token.base.place(in: token.base.store).position
        if let refusal = try catalog.refusal(of: view, since: start) { throw RecordDatabaseError(refusal) }
        let end = max(start, head.transaction(0, 5) ?? 0)
        var lists = try FetchedAudiences(members: head, of: memberships)
        let place = AudiencePlace(number: start, listing: token.listing)
        // The changes after the page of a joined container follow the list of its contents.
        let hasLater = try await fetchChanges(
            of: view, since: start, until: token.listing == nil ? end : start, limit: limit, &lists)
        if let listing = token.listing {
            try await fetchContents(of: listing, until: start, view, limit: limit, &lists)
        }
        let page = try lists.page(of: view, since: place, until: end, limit: limit)
        return try await changes(page, since: token, end: end, hasLater: hasLater)
    }

    private func fetchChanges(
        of view: AudienceView, since start: UInt64, until end: UInt64, limit: Int, _ lists: inout FetchedAudiences
    ) async throws -> Bool {
        let types = view.wholeTypes
        var keys = Set(view.ownKeys.filter { $0.wholeType == nil }).union(view.memberships.keys)
        for (key, types) in view.memberships {
            for container in lists.records(of: key) where container.added <= start {
                for type in types { keys.insert(AudienceKey(type, .container, container.id.description)) }
            }
        }
        let sought = keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        let answers = try await reportingMissingTables {
            try await pool.execute(
                tables.audienceChanges(of: sought, types, since: start, until: end, limit: limit), isRepeatable: true)
        }
        guard answers.count >= 2 else { throw RecordDatabaseError(.connectionLost) }
        try lists.add(answers[0], of: sought)
        if answers.count > 2 { try lists.add(answers[2], of: types.map { AudienceKey($0, .type) }) }
        lists.showMore(after: limit)
        return answers[1].bool(0, 0) == true
    }

    private func fetchContents(
        of listing: AudiencePlace.Listing, until end: UInt64, _ view: AudienceView, limit: Int,
        _ lists: inout FetchedAudiences
    ) async throws {
        var (keys, names) = ([AudienceKey](), [String]())
        for container in try lists.newContainers(of: listing, until: end, view) {
            let after = container.id == listing.container ? listing.record : nil
            for type in container.types {
                keys.append(AudienceKey(type, .container, container.id.description))
                names.append(after?.type == type ? after?.name ?? "" : "")
            }
        }
        try lists.add(contents: try await read(tables.contents(of: keys, after: names, limit: limit + 1)), of: keys)
    }

    private func changes(
        _ page: AudiencePage, since token: AudienceToken, end: UInt64, hasLater: Bool
    ) async throws -> AudienceChanges {
        let statements = [tables.fetch(page.saved, until: end), tables.place(at: page.place.number)]
        let answers = try await reportingMissingTables { try await pool.execute(statements, isRepeatable: true) }
        guard answers.count == 2, let purged = answers[1].transaction(0, 0) else {
            throw RecordDatabaseError(.connectionLost)
        }
        let start = try token.base.place(in: token.base.store).position
        if start < purged { throw RecordDatabaseError(.changeTokenExpired, .expiry(.purged)) }
        var next = token.base
        if let position = answers[1].transaction(0, 1), let mark = answers[1].integer(0, 2), position > start {
            next = ChangeToken(store: token.base.store, position: position, mark: UInt64(bitPattern: mark))
        }
        let records = try StoredRecords(answers[0], of: tables).records()
        let found = Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var page = page
        // What was changed after the end has replaced what was there before, so this page may be of no single moment.
        if hasLater || found.count < page.saved.count { page.isComplete = false }
        return AudienceChanges(page, records: page.saved.compactMap { found[$0] }, token: next)
    }
}

extension Catalog {
    fileprivate func refusal(of view: AudienceView, since number: UInt64) throws -> DeclaredAudiences.Refusal? {
        var declared = DeclaredAudiences()
        for need in view.needs {
            guard let stored = audiences[need.recordType], let since = stored.since else { continue }
            declared.set(try stored.audience.get(), ofType: need.recordType, since: since)
        }
        return declared.refusal(of: view, since: number)
    }
}

/// The lists that a page needs, as they were read from the server.
private struct FetchedAudiences: AudienceLists {
    private var members: [AudienceKey: [(id: Record.ID, added: UInt64)]] = [:]
    private var changes: [AudienceKey: [(id: Record.ID, number: UInt64)]] = [:]
    private var departures: [AudienceKey: [AudienceIndex.Departure]] = [:]
    private var contents: [AudienceKey: [Record.ID]] = [:]

    init(members rows: Answer, of keys: [AudienceKey]) throws {
        for row in 0..<rows.count {
            guard let key = Self.key(rows, row, 6, keys), let added = rows.transaction(row, 9) else { continue }
            members[key, default: []].append((try Self.id(rows, row, 7), added))
        }
    }

    mutating func add(_ rows: Answer, of keys: [AudienceKey]) throws {
        for row in 0..<rows.count {
            guard let key = Self.key(rows, row, 0, keys), let number = rows.transaction(row, 3) else { continue }
            let id = try Self.id(rows, row, 1)
            if rows.bool(row, 4) == true {
                let isDeletion = rows.bool(row, 5) == true
                departures[key, default: []].append(
                    AudienceIndex.Departure(id: id, number: number, isDeletion: isDeletion))
            } else {
                changes[key, default: []].append((id, number))
            }
        }
        for key in keys {
            changes[key]?.sort { $0.number < $1.number }
            departures[key]?.sort { $0.number < $1.number }
        }
    }

    /// Adds a change after all others, which shows that there are more, where the rows of an answer do not show it: it has one
    /// row more than the limit, and all with its number, which may be that of the last row within the limit.
    mutating func showMore(after limit: Int) {
        for key in Set(changes.keys).union(departures.keys) {
            let rows = (changes[key] ?? []) + (departures[key] ?? []).map { ($0.id, $0.number) }
            // The changes and the deletions of a whole type are one answer.
            let count = key.wholeType == nil ? max(changes[key]?.count ?? 0, departures[key]?.count ?? 0) : rows.count
            let numbers = rows.map(\.number).sorted()
            if count > limit, numbers.last == numbers[limit - 1] {
                changes[key, default: []].append((rows[0].id, .max))
            }
        }
    }

    mutating func add(contents rows: Answer, of keys: [AudienceKey]) throws {
        for row in 0..<rows.count {
            guard let key = Self.key(rows, row, 0, keys) else { continue }
            contents[key, default: []].append(try Self.id(rows, row, 1))
        }
    }

    private static func key(_ rows: Answer, _ row: Int, _ column: Int, _ keys: [AudienceKey]) -> AudienceKey? {
        guard let number = rows.integer(row, column), keys.indices.contains(Int(number) - 1) else { return nil }
        return keys[Int(number) - 1]
    }

    private static func id(_ rows: Answer, _ row: Int, _ column: Int) throws -> Record.ID {
        try Record.ID(type: rows.text(row, column) ?? "", name: rows.text(row, column + 1) ?? "")
    }

    func changes(of key: AudienceKey, since start: UInt64, limit: Int) -> [(id: Record.ID, number: UInt64)] {
        changes[key] ?? []
    }

    func departures(from key: AudienceKey, since start: UInt64, limit: Int) -> [AudienceIndex.Departure] {
        departures[key] ?? []
    }

    func records(of key: AudienceKey) -> [(id: Record.ID, added: UInt64)] { members[key] ?? [] }

    func records(of key: AudienceKey, after id: Record.ID?, limit: Int) -> [Record.ID] {
        Array((contents[key] ?? []).prefix(limit))
    }
}
#endif
