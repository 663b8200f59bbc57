/// A database as one user may see and change it: the records for which the rules of their types hold.
///
/// ```swift
/// let photos = try ScopedRecordDatabase(database) {
///     $0.rule(Photo.self) { $0.owner == "ann" }
///     $0.share(Camera.self)
/// }
/// ```
///
/// Records outside the rules are missing: fetches, queries, counts, lists, references back and changes leave them out.
/// Nothing that is saved is outside. Types without a rule are refused. The article <doc:Scopes> has all rules.
public struct ScopedRecordDatabase: RecordDatabase {
    private(set) var base: any RecordDatabase
    private let coding: RecordCoding
    private var rules = ScopeRules()
    private var fault: (any Error)?

    /// The reader that the feed is for; nil for a scope without one.
    let reader: String?
    private(set) var fillings = ScopeFillings()

    /// Makes the scope of a database.
    ///
    /// - Parameters:
    ///   - base: The database with all records.
    ///   - coding: The strategies that name the fields of the rules.
    ///   - declare: Declares the rules.
    /// - Throws: ``RecordError`` with the code `unknownField` if the field of a property in a rule cannot be determined,
    ///   and with the code `invalidRule` for a rule without a condition, or about the properties of other records.
    public init(
        _ base: any RecordDatabase, coding: RecordCoding = RecordCoding(),
        _ declare: (inout ScopedRecordDatabase) -> Void
    ) throws {
        (self.base, self.coding, reader) = (base, coding, nil)
        declare(&self)
        if let fault { throw fault }
    }

    /// Makes the scope of a database for one reader, whose ``feed`` is exact: it reports what the reader may see and could
    /// see, and nothing else.
    ///
    /// Reading and writing are those of a scope without a reader. The feed needs a database with
    /// ``RecordCapabilities/audiences`` and an audience of each type in it, and rules that compare it with the reader; see
    /// <doc:Scopes>.
    ///
    /// - Parameters:
    ///   - base: The database with all records.
    ///   - reader: The reader, as the records name them.
    ///   - coding: The strategies that name the fields of the rules.
    ///   - declare: Declares the rules.
    /// - Throws: The errors of ``init(_:coding:_:)``; ``RecordError`` with the code `invalidRule` for an empty reader.
    public init(
        _ base: any RecordDatabase, for reader: String, coding: RecordCoding = RecordCoding(),
        _ declare: (inout ScopedRecordDatabase) -> Void
    ) throws {
        if reader.isEmpty { throw RecordError(.invalidRule, reason: "the reader has no name") }
        (self.base, self.coding, self.reader) = (base, coding, reader)
        declare(&self)
        if let fault { throw fault }
    }

    /// Declares which values of a type may be read and written.
    ///
    /// Several rules of a type must all hold. The record type of each subclass needs a rule of its own.
    ///
    /// - Parameters:
    ///   - type: The Swift type.
    ///   - filter: One condition a line, about the value's own properties; or a single condition about the properties of
    ///     one container to which the value refers, as in `$0.project.members.contains(user)`.
    public mutating func rule<Model: RecordDecodable>(
        _ type: Model.Type, @QueryFilter<Model> _ filter: (QueryField<Model, Model>) -> QueryFilter<Model>
    ) {
        rule(type, reading: filter, writing: filter)
    }

    /// Declares which values of a type may be read, and which of these may also be written.
    ///
    /// - Parameters:
    ///   - type: The Swift type.
    ///   - reading: The condition for reading.
    ///   - writing: The condition for writing, which a value must satisfy before and after a change.
    public mutating func rule<Model: RecordDecodable>(
        _ type: Model.Type, @QueryFilter<Model> reading: (QueryField<Model, Model>) -> QueryFilter<Model>,
        @QueryFilter<Model> writing: (QueryField<Model, Model>) -> QueryFilter<Model>
    ) {
        let (reading, writing) = (reading(QueryField([])), writing(QueryField([])))
        add(type) { coding in
            try ScopeRules.Rule(reading: reading.make(coding), writing: writing.make(coding))
        }
        if let filling = writing.filling { fillings.add(filling) }
    }

    /// Declares which records may be read and written, of every type, also of those without a rule of their own.
    ///
    /// ```swift
    /// let tenant = try store.scoped { $0.ruleOfAllTypes(.compare("tenant", .equal, .string(id))) }
    /// ```
    ///
    /// A record must satisfy it and the rules of its type. A record without the field is outside, and nothing is filled in.
    ///
    /// - Parameter filter: A condition for the fields of every record.
    public mutating func ruleOfAllTypes(_ filter: RecordFilter) {
        do {
            try rules.addToAllTypes(filter)
        } catch {
            fault = fault ?? error
        }
    }

    /// Declares that all values of a type may be read, and none written.
    ///
    /// - Parameter type: The Swift type.
    public mutating func share<Model: RecordDecodable>(_ type: Model.Type) {
        add(type) { _ in .shared }
    }

    private mutating func add(_ type: (some RecordDecodable).Type, _ make: (RecordCoding) throws -> ScopeRules.Rule) {
        do {
            try type.checkIsFound()
            rules.add(try make(coding), to: RecordTypeInfo.info(of: type).type)
        } catch {
            fault = fault ?? error
        }
    }
}

// MARK: Reading

extension ScopedRecordDatabase {
    /// The limits of the database.
    public var limits: RecordDatabaseLimits { base.limits }

    /// The capabilities of the database, without the outcomes of lost batches: a reader who knows the identifier of
    /// another's batch could read its outcome, or void it.
    public var capabilities: RecordCapabilities { base.capabilities.subtracting(.outcomes) }

    /// The contents that the scope shows.
    public var assets: (any AssetStorage)? { base.assets.map { ScopedAssets(base: $0, scope: self) } }

    /// Returns the records with these IDs that are inside the scope.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        for id in ids where !id.isReserved { _ = try rules.rule(of: id.type, id) }
        guard let reader, ids.contains(where: ReaderRecords.has) else { return try await shownRecords(for: ids) }
        let own = ReaderRecords(of: reader)
        let records = try await base.records(for: ids.filter(ReaderRecords.has).map(own.stored)).map(own.shown)
        return try await records + shownRecords(for: ids.filter { !ReaderRecords.has($0) })
    }

    /// The records that are inside the scope, each with its containers at one moment of the call.
    private func shownRecords(for ids: [Record.ID]) async throws -> [Record] {
        if !rules.hasContainers { return try await base.records(for: ids).filter { try rules.shows($0) } }
        let (records, containers) = try await moment(of: ids)
        return try ids.compactMap { records[$0] }.filter { try rules.shows($0, containers) }
    }

    /// Records, and the containers on which their rules depend, in one fetch.
    ///
    /// - Parameters:
    ///   - ids: The records.
    ///   - others: More records whose containers are fetched.
    ///   - least: The least number of fetches.
    private func moment(
        of ids: [Record.ID], withContainersOf others: [Record] = [], fetches least: Int = 1
    ) async throws -> (records: [Record.ID: Record], containers: [Record.ID: Record]) {
        var containers = rules.containers(of: others)
        let sought = Set(ids)
        var count = 0
        while true {
            count += 1
            let all = ids + containers.subtracting(sought).sorted()
            let found = try await base.presentRecords(for: all)
            let byID = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            let needed = rules.containers(of: found.lazy.filter { sought.contains($0.id) })
            if needed.isSubset(of: containers), count >= least {
                return (byID.filter { sought.contains($0.key) }, byID.filter { containers.contains($0.key) })
            }
            // A record has moved to another container since the last fetch, or this was the first one.
            containers.formUnion(needed)
        }
    }

    /// Returns the records inside the scope.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        do {
            if let type { _ = try rules.rule(of: type) }
            let records = base.storedRecords(ofType: type)
            if !rules.hasContainers { return records.filtered { [rules] in try rules.shows($0) } }
            return RecordSequence(pages: {
                ShownPages(records: records.makeAsyncIterator()) { try await shownRecords(for: $0) }
            })
        } catch {
            return RecordSequence(reading: { throw error })
        }
    }

    /// Returns the versions of records inside the scope, and of the reader's own system records.
    public func versions(
        ofType type: String, after name: String?, limit: Int
    ) async throws -> [RecordBatch.VersionedID] {
        guard let reader, ReaderRecords.has(type: type) else {
            return try await base.versions(of: rules.restrict(RecordQuery(type, limit: limit)), after: name)
        }
        try require(.orderedVersions, for: "the list of a reader's own records")
        let own = ReaderRecords(of: reader)
        let versions = try await base.versions(ofType: type, after: own.name(after: name), limit: limit)
        return try versions.prefix { own.isOwner(of: $0.id) }.map {
            RecordBatch.VersionedID(try own.shown($0.id), version: $0.version)
        }
    }

    /// Returns a page of the query and the rules.
    ///
    /// Only matching records count as examined: the number of those outside stays unknown.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        var page = try await base.page(rules.restrict(query))
        page.examinedCount = page.matchCount
        return page
    }

    /// Returns the number of records of the query and the rules.
    public func count(_ query: RecordQuery) async throws -> Int { try await base.count(rules.restrict(query)) }

    /// Explains how the base finds a page of a query in the scope; the text names no value of the rules.
    public func explanation(of query: RecordQuery) async throws -> String {
        try await base.explanation(of: rules.restrict(query))
    }

    /// Returns summaries of the records of a query in the scope.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        try await base.summaries(of: rules.restrict(query), field: field, groupedBy: group)
    }

    /// Returns the references from records inside the scope.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        let found = try await base.referrers(of: ids)
        let holders = Set(found.values.joined().map(\.record)).sorted()
        let shown = try await judged(holders).shown
        return found.compactMapValues { referrers in
            let referrers = referrers.filter { shown.contains($0.record) }
            return referrers.isEmpty ? nil : referrers
        }
    }
}

extension ScopedRecordDatabase {
    /// The records that exist, and which of them are inside.
    ///
    /// - Parameters:
    ///   - ids: The records.
    ///   - isEven: Whether the number of fetches is the same with and without containers.
    func judged(
        _ ids: [Record.ID], evenly isEven: Bool = false
    ) async throws -> (records: [Record], shown: Set<Record.ID>) {
        var (records, shown) = ([Record](), Set<Record.ID>())
        for batch in ids.batches(of: limits.batchCount) {
            let (found, containers) = try await moment(of: Array(batch), fetches: isEven && rules.hasContainers ? 2 : 1)
            records += batch.compactMap { found[$0] }
            shown.formUnion(try found.values.filter { try rules.shows($0, containers) }.map(\.id))
        }
        return (records, shown)
    }
}

/// The records of a list that are inside a scope with rules by container.
private struct ShownPages: AsyncIteratorProtocol {
    var records: RecordSequence.Iterator
    let shown: @Sendable ([Record.ID]) async throws -> [Record]

    mutating func next() async throws -> [Record]? {
        var ids: [Record.ID] = []
        while ids.count < 100, let record = try await records.next() { ids.append(record.id) }
        return ids.isEmpty ? nil : try await shown(ids)
    }
}

// MARK: Changing

extension ScopedRecordDatabase {
    /// Applies a batch whose records are inside the scope before and after it.
    ///
    /// Values of unique properties are claimed, also for a batch without claims.
    ///
    /// - Throws: ``RecordError`` with the code `outsideScope` for a record that must not be written;
    ///   ``RecordDatabaseError`` with the code `conflict` and without a record for a name that a record outside has, and
    ///   with the code `stillReferenced` for a deletion that a record outside prevents; otherwise as the database.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        return try await RetryBudget.shared(retryPolicy) { try await tryCommit(batch) }
    }

    private func tryCommit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        var attempt = 1
        while true {
            let allowed = try await allowed(batch)
            do {
                return allowed.isEmpty ? [:] : try await shown(allowed.commitClaiming(in: base))
            } catch let error as RecordDatabaseError
                where (error.isOvertaken || error.isNewReference) && attempt < retryPolicy.attempts
                && RetryBudget.takeAttempt()
            {
                // The records have changed since they were read; the next attempt has the error if there is one.
                attempt += 1
                try await RetryPause().wait(beforeAttempt: attempt)
            } catch let error as RecordDatabaseError {
                throw error.withoutServerRecord(reason: Self.takenName) { (try? rules.shows($0)) != true }
            }
        }
    }

    private static let takenName = "its record is outside the scope"

    /// The answer with the names that the reader gave to their own system records.
    private func shown(_ saved: [Record.ID: Record.Metadata]) throws -> [Record.ID: Record.Metadata] {
        guard let reader, saved.keys.contains(where: ReaderRecords.has) else { return saved }
        let own = ReaderRecords(of: reader)
        return try Dictionary(
            saved.map { (ReaderRecords.has($0.key) ? try own.shown($0.key) : $0.key, $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The batch for the database: each record in the version that was checked here.
    private func allowed(_ batch: RecordBatch) async throws -> RecordBatch {
        guard let reader else { return try await allowedOfCallers(batch) }
        var (others, own) = (batch, RecordBatch())
        others.saves.removeAll { ReaderRecords.has($0.id) }
        others.deletions.removeAll { ReaderRecords.has($0.id) }
        others.conditions.removeAll { ReaderRecords.has($0.id) }
        own.saves = batch.saves.filter { ReaderRecords.has($0.id) }
        own.deletions = batch.deletions.filter { ReaderRecords.has($0.id) }
        own.conditions = batch.conditions.filter { ReaderRecords.has($0.id) }
        var allowed = try await allowedOfCallers(others)
        if own.isEmpty { return allowed }
        let names = ReaderRecords(of: reader)
        let ids = own.saves.map(\.id) + (own.deletions + own.conditions).map(\.id)
        let present = try await recordsByID(for: ids)
        for var record in own.saves {
            if let stored = present[record.id], batch.savePolicy.isConflict(saving: record, over: stored) {
                throw RecordDatabaseError(.conflict, .versions(client: record, server: stored))
            }
            if present[record.id] == nil, record.metadata != nil, batch.savePolicy == .ifUnchanged {
                throw RecordDatabaseError(.unknownRecord, .versions(client: record))
            }
            record.metadata = present[record.id]?.metadata
            allowed.saves.append(try names.stored(record))
        }
        for deletion in own.deletions {
            try deletion.version.check(deletion.id, stored: present[deletion.id])
            guard let stored = present[deletion.id] else { continue }
            allowed.deletions.append(RecordBatch.VersionedID(removing: try names.stored(stored)))
        }
        for condition in own.conditions where condition.version != .any {
            try condition.version.check(condition.id, stored: present[condition.id])
            allowed.conditions.append(
                RecordBatch.VersionedID(try names.stored(condition.id), version: condition.version))
        }
        return allowed
    }

    private func allowedOfCallers(_ batch: RecordBatch) async throws -> RecordBatch {
        var ids = (batch.saves.map(\.id) + (batch.deletions + batch.conditions).map(\.id)).filter { !$0.isReserved }
        let named = Set(ids)
        ids += batch.allowedReferrers.keys.filter { !named.contains($0) && !$0.isReserved }
        for id in ids { _ = try rules.rule(of: id.type, id) }
        let (stored, containers) = try await moment(of: ids, withContainersOf: batch.saves)
        let shown = try stored.filter { try rules.shows($0.value, containers) }
        // A record is inside after the batch, if its container is then as the rule says.
        var laterContainers = containers
        for record in batch.saves where rules.containerTypes.contains(record.id.type) {
            laterContainers[record.id] = record
        }
        for deletion in batch.deletions { laterContainers[deletion.id] = nil }
        var written: [Record] = []
        var allowed = RecordBatch()
        allowed.saves = try checkedClaims(of: batch)
        let unique = UniqueFields(coding.fieldNaming)
        var claims: [UniqueClaim] = []
        for var record in batch.saves where !record.id.isReserved {
            let present = shown[record.id]
            if let present {
                if batch.savePolicy.isConflict(saving: record, over: present) {
                    throw RecordDatabaseError(.conflict, .versions(client: record, server: present))
                }
                try rules.checkMayWrite(present, containers)
                written.append(present)
            } else if record.metadata != nil, batch.savePolicy == .ifUnchanged {
                throw RecordDatabaseError(.unknownRecord, .versions(client: record))
            } else if let hidden = stored[record.id] {
                throw RecordDatabaseError(.conflict, .versions(client: record, server: hidden))
                    .withoutServerRecord(reason: Self.takenName) { _ in true }
            }
            try rules.checkMayWrite(record, laterContainers)
            written.append(record)
            record.metadata = present?.metadata
            allowed.saves.append(record)
            // The caller may not know that a property is unique.
            claims += try unique?.claims(of: record, replacing: present) ?? []
        }
        try await checkContents(of: batch.saves, over: shown)
        let given = Set(allowed.saves.map(\.id))
        try allowed.add(claims.filter { !given.contains($0.recordID) })
        for deletion in batch.deletions {
            try deletion.version.check(deletion.id, stored: shown[deletion.id])
            guard let present = shown[deletion.id] else { continue }
            try rules.checkMayWrite(present, containers)
            written.append(present)
            allowed.deletions.append(RecordBatch.VersionedID(removing: present))
        }
        for condition in batch.conditions where condition.version != .any {
            try condition.version.check(condition.id, stored: shown[condition.id])
            if condition.id.isReserved { continue }
            let version = stored[condition.id].map { RecordBatch.Version(of: $0) } ?? .missing
            allowed.conditions.append(RecordBatch.VersionedID(condition.id, version: version))
        }
        // A user whom another user removes from a container in this moment writes nothing.
        let checked = allowed.saves.map(\.id) + (allowed.deletions + allowed.conditions).map(\.id)
        for id in rules.containers(of: written).subtracting(checked).sorted() {
            guard let container = containers[id] else { continue }
            allowed.conditions.append(RecordBatch.VersionedID(id, version: RecordBatch.Version(of: container)))
        }
        // To a user a hidden record is missing, and a missing record meets its condition.
        let conditioned = Set(allowed.conditions.map(\.id))
        for id in batch.allowedReferrers.keys.sorted()
        where shown[id] == nil && !named.contains(id) && !conditioned.contains(id) {
            let version = stored[id].map { RecordBatch.Version(of: $0) } ?? .missing
            allowed.conditions.append(RecordBatch.VersionedID(id, version: version))
        }
        try await checkReferrers(of: batch, shown, &allowed)
        return allowed
    }

    /// Throws unless the scope shows the content of each asset that a record names and its former version does not.
    ///
    /// A content that exists outside is as missing as one that does not exist: a reader cannot find out which others have.
    private func checkContents(of saves: [Record], over shown: [Record.ID: Record]) async throws {
        var places: [String: RecordContext] = [:]
        for record in saves {
            let known = Set(shown[record.id]?.assets.map(\.hash) ?? [])
            record.forEachAsset { asset, place in
                if !known.contains(asset.hash), places[asset.hash] == nil { places[asset.hash] = place }
            }
        }
        if places.isEmpty { return }
        let visible = try await shows(contents: Set(places.keys))
        if let (hash, place) = places.filter({ !visible.contains($0.key) }).min(by: { $0.key < $1.key }) {
            throw RecordDatabaseError.missingAsset(hash, place)
        }
    }

    /// The claims of a batch, each of a record that the batch saves with the value.
    private func checkedClaims(of batch: RecordBatch) throws -> [Record] {
        let claims = batch.saves.filter(\.id.isReserved)
        if claims.isEmpty { return [] }
        let owners = Dictionary(batch.saves.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return try claims.map { record in
            guard let claim = UniqueClaim(record), claim.recordID == record.id,
                claim.isInForce(with: owners[claim.owner])
            else { throw RecordError(.outsideScope, reason: "it may not be written", recordID: record.id) }
            return claim.record
        }
    }

    /// Checks the references to the records that are deleted or have a condition, and adds the condition that no others
    /// are added.
    ///
    /// A record outside that belongs to a deleted one prevents the deletion. Another reference from outside does so if the
    /// batch has a condition, unless it is to dangle.
    private func checkReferrers(
        of batch: RecordBatch, _ shown: [Record.ID: Record], _ allowed: inout RecordBatch
    ) async throws {
        let deleted = Set(allowed.deletions.map(\.id))
        let ids = deleted.union(batch.allowedReferrers.keys.filter { shown[$0] != nil }).sorted()
        if ids.isEmpty { return }
        let found = try await base.referrers(of: ids)
        let holders = Set(found.values.joined().map(\.record)).subtracting(deleted).sorted()
        let (records, inside) = try await judged(holders)
        let hidden = Set(records.map(\.id)).subtracting(inside)
        try batch.checkReferrers(among: records.filter { inside.contains($0.id) }) { shown[$0] }
        for id in ids {
            let isTolerant = batch.allowedReferrers[id] == nil || batch.allowedOutside.contains(id)
            let referrers = found[id] ?? []
            let isHeld = referrers.contains { referrer in
                hidden.contains(referrer.record)
                    && (!isTolerant || deleted.contains(id) && referrer.reference.action == .deleteSelf)
            }
            if isHeld {
                throw RecordDatabaseError(
                    .stillReferenced, reason: "a record outside the scope refers to it", recordID: id)
            }
            guard base.capabilities.contains(.referrerConditions) else { continue }
            let known = referrers.map(\.record)
            allowed.allowedReferrers[id] =
                batch.allowedReferrers[id]?.union(known.filter(hidden.contains))
                ?? Set(known + batch.saves.map(\.id))
            if isTolerant { allowed.allowedOutside.insert(id) }
        }
    }
}

// MARK: Changes

extension ScopedRecordDatabase: LiveDatabase {
    /// The feed of the reader of the scope, if the database has a feed; nil without a reader.
    ///
    /// It reports what the reader may see and could see: ``RecordChanges/deleted``, ``RecordChanges/departed`` and
    /// ``RecordChanges/left`` have the rest. Its calls throw ``RecordDatabaseError`` with the code `unsupported` if the database
    /// lacks ``RecordCapabilities/audiences``, an audience is not declared, or a rule for reading is not about the reader;
    /// the tokens of another reader or of other rules expire, see ``ChangeToken/Expiry``.
    ///
    /// Live values need no such feed: they are read again when the database has changed.
    public var feed: (any RecordFeed)? {
        guard let reader else { return nil }
        return base.feed.map {
            ReaderFeed(base: $0, rules: rules, reader: reader, database: over($0.database))
        }
    }

    var liveFeed: (any RecordFeed)? {
        base.followedFeed.map { ScopedFeed(base: $0, rules: rules, database: over($0.database)) }
    }

    private func over(_ base: any RecordDatabase) -> ScopedRecordDatabase {
        var scope = self
        scope.base = base
        return scope
    }
}

extension ScopedRecordDatabase: CustomStringConvertible {
    /// The types with a rule.
    ///
    /// The description of the database would reveal the number of all records.
    public var description: String {
        "scoped database of \(rules)"
    }
}

extension ScopedRecordDatabase: ChildlessReflectable {}

// MARK: Stores

extension RecordStore {
    /// A store of the values for which rules hold: over a ``ScopedRecordDatabase``.
    ///
    /// ```swift
    /// let photos = try store.scoped { $0.rule(Photo.self) { $0.owner == "ann" } }
    /// try await photos.insert(Photo(id: 1, owner: nil))  // the owner is "ann"
    /// ```
    ///
    /// If the rule for writing is one equality, a value that is inserted or overwritten without the property gets the
    /// rule's value: where the property is nil or an empty string, in the value itself and not in values nested in it. Of
    /// several such rules for one type, and of a scope in a scope, only the last fills in; the others check.
    ///
    /// - Parameter declare: Declares the rules.
    /// - Returns: The store.
    /// - Throws: The errors of ``ScopedRecordDatabase/init(_:coding:_:)``.
    public func scoped(_ declare: (inout ScopedRecordDatabase) -> Void) throws -> RecordStore {
        over(try ScopedRecordDatabase(calls, coding: coding, declare))
    }

    /// A store of the values for which rules hold, for one reader, whose feed is exact.
    ///
    /// ```swift
    /// let anns = try store.scoped(for: "ann") { $0.rule(Note.self) { $0.readers.contains("ann") || $0.isPublic } }
    /// let changes = try await anns.database.feed?.changes(since: token, limit: 100)
    /// ```
    ///
    /// It reads and writes as ``scoped(_:)``. See ``ScopedRecordDatabase/init(_:for:coding:_:)``.
    ///
    /// - Parameters:
    ///   - reader: The reader, as the records name them.
    ///   - declare: Declares the rules.
    /// - Returns: The store.
    /// - Throws: The errors of ``ScopedRecordDatabase/init(_:for:coding:_:)``.
    public func scoped(
        for reader: String, _ declare: (inout ScopedRecordDatabase) -> Void
    ) throws -> RecordStore {
        over(try ScopedRecordDatabase(calls, for: reader, coding: coding, declare))
    }

    private func over(_ scope: ScopedRecordDatabase) -> RecordStore {
        var store = over(scope as any RecordDatabase)
        store.fillings.merge(scope.fillings)
        return store
    }
}

extension RecordDatabaseError {
    fileprivate func withoutServerRecord(reason: String, where isHidden: (Record) -> Bool) -> RecordDatabaseError {
        var error = self
        if let record = serverRecord, isHidden(record) {
            error.detail = .versions(client: clientRecord, expected: expectedVersion)
            if code == .conflict { error.reason = reason }
        }
        if code == .stillReferenced {
            (error.detail, error.reason) = (nil, "a record refers to it, perhaps one outside the scope")
        }
        if let cause = underlyingError as? RecordDatabaseError {
            error.underlyingError = cause.withoutServerRecord(reason: reason, where: isHidden)
        }
        return error
    }
}
