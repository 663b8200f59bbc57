import NestedRecords

// What has changed in the remote database.
extension SyncRound {
    /// Reads the changes of the remote database; compares all records if there is no token for them.
    ///
    /// - Returns: False if the time is over.
    mutating func pull() async throws -> Bool {
        if context.remoteFeed == nil { return try await list() }
        for token in [link.listed, link.arriving].compactMap(\.self) {
            _ = try await remoteChanges(since: token, limit: 1)
        }
        if link.pulled == nil || link.mustList || link.listing != nil {
            guard try await list() else { return false }
        }
        for _ in 0..<2 {
            switch try await pullChanges() {
            case .finished: return true
            case .stopped: return false
            case .purged: guard try await list() else { return false }
            }
        }
        // The comparison took so long that its token was purged too: the next round goes on.
        outcome.isComplete = false
        return true
    }

    private enum Pull {
        case finished
        case stopped
        case purged
    }

    private mutating func pullChanges() async throws -> Pull {
        guard var token = link.pulled else { return .purged }
        var changes: [Record.ID: RemoteState?] = [:]
        while true {
            guard let page = try await remoteChanges(since: token, limit: context.pageSize) else { return .purged }
            for record in page.saved where context.isSynchronized(record.id) {
                changes[record.id] = .some(record.state)
            }
            for id in page.deleted + page.departed where context.isSynchronized(id) { changes[id] = .some(nil) }
            // The contents of a container that the reader has left are not listed.
            if !page.left.isEmpty { return .purged }
            // A page that ends where it began is all that can be known for now.
            let isLast = page.isComplete || page.isEmpty && page.token == token
            token = page.token
            guard isLast || changes.count >= context.pageSize else { continue }
            if !isLast { outcome.isPartial = true }
            // After the page: a token from before the last push is also one of a database that was restored since.
            if link.pulledNumber < link.settledNumber {
                try await readPeer()
                _ = try await checkPeer()
            }
            // The page lacks the records that have changed again after its end.
            if !isLast { try await noteReading() }
            // Stored with the first of several batches.
            link.arriving = token
            try await apply(changes) { [token] in
                ($0.pulled, $0.arriving) = (token, nil)
                if isLast { $0.listed = nil }
                if page.isComplete { $0.pulledNumber = $0.settledNumber }
            }
            if isLast { return .finished }
            changes = [:]
            if try mustStop() { return .stopped }
        }
    }

    /// A page of the remote feed; nil if the history since the token is gone.
    private mutating func remoteChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges? {
        guard let feed = context.remoteFeed else { return nil }
        do {
            return try await feed.changes(since: token, limit: limit)
        } catch let error {
            try error.checkGoesOnByComparing()
            // A purge may hide that the database was restored.
            if error.expiry == .purged { _ = try await checkPeer() }
            return nil
        }
    }

    // MARK: Comparing

    /// Compares all records of the remote database with their bases, page by page.
    ///
    /// - Returns: False if the time is over.
    private mutating func list() async throws -> Bool {
        // Nothing is compared with a database that was restored since.
        if let token = link.listing?.token ?? link.pulled {
            if try await remoteChanges(since: token, limit: 1) == nil { link.listing = nil }
            _ = try await checkPeer()
        }
        let isUnstored = context.remoteFeed == nil && link.listing == nil && !link.mustList && link.start == .merge
        let hadWritten = outcome.hasWritten
        var listing: LinkRecord.Listing
        if let begun = link.listing {
            listing = begun
        } else {
            listing = LinkRecord.Listing(token: try await context.remoteFeed?.changeToken())
            // Stored with the first of several batches.
            if listing.token != nil { link.listing = listing }
        }
        outcome.isPartial = true
        // Records of several types appear together, with those that they refer to.
        var changes: [Record.ID: RemoteState?] = [:]
        let reads = context.remoteReads
        var pages = ListedPages(
            of: try await types(of: reads), in: reads, from: (listing.type, listing.name), context)
        while let position = pages.position {
            (listing.type, listing.name) = position
            if changes.count >= context.pageSize {
                try await applyListed(changes, listing)
                changes = [:]
            }
            if try mustStop() {
                try await applyListed(changes, listing)
                return false
            }
            guard let page = try await pages.next() else { break }
            changes.merge(try await self.changes(page)) { $1 }
        }
        try await applyListed(changes, listing)
        var next = link
        (next.pulled, next.listing, next.mustList) = (listing.token, nil, false)
        if next.start == .pushLocal { next.start = .merge }
        if isUnstored, outcome.hasWritten == hadWritten {
            // Nothing has changed since the last comparison, whose end is stored.
            (link, isDirty) = (next, true)
        } else {
            try await commit(RecordBatch(), next)
        }
        return true
    }

    private mutating func applyListed(
        _ changes: [Record.ID: RemoteState?], _ listing: LinkRecord.Listing
    ) async throws {
        if !changes.isEmpty { try await noteReading() }
        try await apply(changes) { $0.listing = listing }
    }

    /// The states of the records of a page that differ from their bases.
    private func changes(_ page: ListedPage) async throws -> [Record.ID: RemoteState?] {
        let bases = try await bases(of: Array(page.based))
        let changed = page.tags.filter { bases[$0.key]?.state?.tag != $0.value }.map(\.key)
        let missing = page.based.filter { page.tags[$0] == nil }
        let found = try await context.remoteReads.found(changed + missing)
        var changes: [Record.ID: RemoteState?] = [:]
        for (id, record) in found { changes[id] = .some(record.state) }
        for id in missing where found[id] == nil { changes[id] = .some(nil) }
        return changes
    }

    /// The types of the records of a database and of all bases, sorted.
    func types(of database: any RecordDatabase) async throws -> [String] {
        if let types = context.options.types { return types.filter { !Record.ID.isReserved(type: $0) }.sorted() }
        let based = try await context.localFeed.database.storedTypes().compactMap(context.names.type(ofBases:))
        return try await database.storedTypes().filter { !Record.ID.isReserved(type: $0) }.union(based).sorted()
    }
}

extension RecordDatabase {
    /// The types of all records, those of the library included.
    func storedTypes() async throws -> Set<String> {
        if let counter = typeCounter { return Set(try await counter.recordCounts().keys) }
        var types: Set<String> = []
        for try await record in records(ofType: nil, including: .system) { types.insert(record.id.type) }
        return types
    }
}
