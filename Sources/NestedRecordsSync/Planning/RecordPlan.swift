import NestedRecords

/// The contents of a record in the remote database, with the tag of that version.
struct RemoteState: Equatable, Sendable {
    var fields: Record.Fields

    /// Empty if the version is unknown: no record has an empty tag.
    var tag: String
}

/// What becomes of one record, given the last state that both sides had, and the states of both sides.
///
/// A pure function: what it changes, it changes in the local database. What the local side has and the remote side does not
/// is pushed later: it is what differs from the base.
struct RecordPlan {
    enum LocalChange: Equatable {
        case keep
        case save(Record.Fields)
        case delete
    }

    enum BaseChange: Equatable {
        case keep
        case set(RemoteState)
        case forget
    }

    /// What lost to what, for the log of conflicts.
    struct Loss: Equatable {
        var kind: SyncConflict.Kind
        var fields: [String] = []
    }

    private(set) var local = LocalChange.keep
    private(set) var base = BaseChange.keep
    private(set) var loss: Loss?

    /// - Parameters:
    ///   - type: The record type.
    ///   - base: The last state that both sides had; nil if they never had the record, or both lost it.
    ///   - local: The fields in the local database; nil without the record.
    ///   - remote: The state in the remote database; nil without the record.
    ///   - rules: How contested fields are merged.
    init(
        ofType type: String, base: RemoteState?, local: Record.Fields?, remote: RemoteState?, _ rules: SyncRules
    ) {
        let (former, current) = (base?.fields, remote?.fields)
        if current.isSame(as: former) {
            if let remote, remote.tag != base?.tag { self.base = .set(remote) }
            return
        }
        self.base = remote.map { .set($0) } ?? .forget
        if local.isSame(as: former) {
            self.local = remote.map { .save($0.fields) } ?? .delete
        } else if let local, let current {
            merge(Versions(base: former, local: local, remote: current), ofType: type, rules)
        } else if let local {
            loss = Loss(kind: .remoteDeletion, fields: local.names(differingFrom: former))
            if rules.deletions == .deletionWins { self.local = .delete }
        } else if let remote {
            loss = Loss(kind: .localDeletion, fields: remote.fields.names(differingFrom: former))
            if rules.deletions == .updateWins { self.local = .save(remote.fields) }
        }
    }

    /// A plan in which one side becomes as the other one.
    ///
    /// - Parameters:
    ///   - side: The side whose state both get.
    ///   - local: The fields in the local database; nil without the record.
    ///   - remote: The state in the remote database; nil without the record.
    init(taking side: Start.Side, local: Record.Fields?, remote: RemoteState?) {
        base = remote.map { .set($0) } ?? .forget
        if side == .remote, !local.isSame(as: remote?.fields) {
            self.local = remote.map { .save($0.fields) } ?? .delete
        }
    }

    /// Has a record return that the remote side has deleted.
    mutating func keepDeleted(_ fields: Record.Fields) {
        // Saved again, so that it is sent.
        local = .save(fields)
        loss = loss ?? Loss(kind: .remoteDeletion)
    }

    private mutating func merge(
        _ stored: Versions<Record.Fields?>, ofType type: String, _ rules: SyncRules
    ) {
        let versions = stored.migrated(ofType: type, rules)
        guard let local = versions.local, let remote = versions.remote else { return }
        let areEqual = versions.local.isSame(as: versions.remote)
        guard let base = versions.base, base.version.isSame(as: local.version), base.version.isSame(as: remote.version)
        else {
            if areEqual { return }
            loss = Loss(kind: .record, fields: local.names(differingFrom: remote))
            if !rules.contested.takesLocal(local, over: remote) { self.local = .save(remote) }
            return
        }
        // Equal counters may be two additions.
        if areEqual, rules.counters(ofType: type).allSatisfy({ base[$0].isSame(as: local[$0]) }) {
            if !stored.local.isSame(as: local) { self.local = .save(local) }
            return
        }
        let merge = FieldMerge(Versions(base: base, local: local, remote: remote), ofType: type, rules)
        if !merge.contested.isEmpty { loss = Loss(kind: .fields, fields: merge.contested) }
        if !(merge.merged as Record.Fields?).isSame(as: stored.local) { self.local = .save(merge.merged) }
    }
}

extension Versions<Record.Fields?> {
    /// The fields in the present version of the type, if the versions differ and there is a migration for all.
    fileprivate func migrated(ofType type: String, _ rules: SyncRules) -> Self {
        guard let base, let local, let remote,
            !base.version.isSame(as: local.version) || !base.version.isSame(as: remote.version),
            let newBase = rules.migrated(base, ofType: type), let newLocal = rules.migrated(local, ofType: type),
            let newRemote = rules.migrated(remote, ofType: type)
        else { return self }
        return Self(base: newBase, local: newLocal, remote: newRemote)
    }
}

extension Record.Fields {
    /// The version of the type that wrote the record.
    fileprivate var version: Record.Value? { self["$version"] }

    /// The names of the fields that others do not have with the same values, sorted.
    fileprivate func names(differingFrom others: Record.Fields?) -> [String] {
        let names = Set(map(\.name)).union(others?.map(\.name) ?? [])
        return names.filter { !self[$0].isSame(as: others?[$0]) }.sorted()
    }
}
