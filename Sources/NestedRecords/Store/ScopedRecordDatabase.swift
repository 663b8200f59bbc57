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
    private var base: any RecordDatabase
    private let coding: RecordCoding
    private var rules = ScopeRules()
    private var fault: (any Error)?
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
        (self.base, self.coding) = (base, coding)
        declare(&self)
        if let fault { throw fault }
    }

    /// Declares which values of a type may be read and written.
    ///
    /// Several rules of a type must all hold. The record type of each subclass needs a rule of its own.
    ///
    /// - Parameters:
    ///   - type: The Swift type.
    ///   - filter: One condition a line, about the value's own properties.
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
            let filters = try [reading.make(coding), writing.make(coding)]
            for filter in filters { try ScopeRules.check(filter) }
            return ScopeRules.Rule(reading: filters[0], writing: filters[1])
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
        add(type) { _ in ScopeRules.Rule(isReadOnly: true) }
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

    /// The capabilities of the database.
    public var capabilities: RecordCapabilities { base.capabilities }

    /// Returns the records with these IDs that are inside the scope.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        for id in ids where !id.isReserved { _ = try rules.rule(of: id.type, id) }
        return try await base.records(for: ids).filter(rules.shows)
    }

    /// Returns the records inside the scope.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        do {
            if let type { _ = try rules.rule(of: type) }
            return base.storedRecords(ofType: type).filtered(rules.shows)
        } catch {
            return RecordSequence(reading: { throw error })
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
        of query: RecordQuery, field: FieldPath?, groupedBy group: FieldPath?
    ) async throws -> [RecordSummary] {
        try await base.summaries(of: rules.restrict(query), field: field, groupedBy: group)
    }

    /// Returns the references from records inside the scope.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        let found = try await base.referrers(of: ids)
        let holders = Set(found.values.joined().map(\.record)).sorted()
        let shown = Set(try await base.presentRecords(for: holders).filter(rules.shows).map(\.id))
        return found.compactMapValues { referrers in
            let referrers = referrers.filter { shown.contains($0.record) }
            return referrers.isEmpty ? nil : referrers
        }
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
                return allowed.isEmpty ? [:] : try await allowed.commitClaiming(in: base)
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

    /// The batch for the database: each record in the version that was checked here.
    private func allowed(_ batch: RecordBatch) async throws -> RecordBatch {
        var ids = (batch.saves.map(\.id) + (batch.deletions + batch.conditions).map(\.id)).filter { !$0.isReserved }
        let named = Set(ids)
        ids += batch.allowedReferrers.keys.filter { !named.contains($0) && !$0.isReserved }
        for id in ids { _ = try rules.rule(of: id.type, id) }
        let stored = try await base.recordsByID(for: ids)
        let shown = try stored.filter { try rules.shows($0.value) }
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
                try rules.checkMayWrite(present)
            } else if record.metadata != nil, batch.savePolicy == .ifUnchanged {
                throw RecordDatabaseError(.unknownRecord, .versions(client: record))
            } else if let hidden = stored[record.id] {
                throw RecordDatabaseError(.conflict, .versions(client: record, server: hidden))
                    .withoutServerRecord(reason: Self.takenName) { _ in true }
            }
            try rules.checkMayWrite(record)
            record.metadata = present?.metadata
            allowed.saves.append(record)
            // The caller may not know that a property is unique.
            claims += try unique?.claims(of: record, replacing: present) ?? []
        }
        let given = Set(allowed.saves.map(\.id))
        try allowed.add(claims.filter { !given.contains($0.recordID) })
        for deletion in batch.deletions {
            try deletion.version.check(deletion.id, stored: shown[deletion.id])
            guard let present = shown[deletion.id] else { continue }
            try rules.checkMayWrite(present)
            allowed.deletions.append(RecordBatch.VersionedID(removing: present))
        }
        for condition in batch.conditions where condition.version != .any {
            try condition.version.check(condition.id, stored: shown[condition.id])
            if condition.id.isReserved { continue }
            let version = stored[condition.id].map { RecordBatch.Version(of: $0) } ?? .missing
            allowed.conditions.append(RecordBatch.VersionedID(condition.id, version: version))
        }
        // To a user a hidden record is missing, and a missing record meets its condition.
        for id in batch.allowedReferrers.keys.sorted() where shown[id] == nil && !named.contains(id) {
            let version = stored[id].map { RecordBatch.Version(of: $0) } ?? .missing
            allowed.conditions.append(RecordBatch.VersionedID(id, version: version))
        }
        try await checkReferrers(of: batch, shown, &allowed)
        return allowed
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
        let records = try await base.presentRecords(for: holders)
        let hidden = Set(try records.filter { try !rules.shows($0) }.map(\.id))
        try batch.checkReferrers(among: records.filter { !hidden.contains($0.id) }) { shown[$0] }
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

extension ScopedRecordDatabase {
    /// The feed of the records inside the scope, if the database has a feed.
    ///
    /// A record that is outside now, and each deleted record of a type with a rule, is a deletion.
    public var feed: (any RecordFeed)? {
        base.feed.map { baseFeed in
            var scope = self
            scope.base = baseFeed.database
            return ScopedFeed(base: baseFeed, rules: rules, database: scope)
        }
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
        let scope = try ScopedRecordDatabase(calls, coding: coding, declare)
        var store = over(scope)
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
