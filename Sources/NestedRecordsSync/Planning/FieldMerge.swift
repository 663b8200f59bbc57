import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The merge of the fields of a record that changed on both sides.
struct FieldMerge {
    private let type: String
    private let rules: SyncRules
    private let versions: Versions<Record.Fields>

    /// The merged fields: those of the remote side in its order, then those that only the local side has.
    private(set) var merged = Record.Fields()

    /// The fields that were contested.
    private(set) var contested: [String] = []

    init(_ versions: Versions<Record.Fields>, ofType type: String, _ rules: SyncRules) {
        (self.versions, self.type, self.rules) = (versions, type, rules)
        var chosen: [String: Record.Fields] = [:]
        for group in rules.groups(ofType: type) {
            let side = side(of: group)
            for name in group { chosen[name] = side }
        }
        let (local, remote) = (versions.local, versions.remote)
        for (name, _) in Array(remote) + local.filter({ remote[$0.name] == nil }) {
            merged[name] = chosen[name].map { $0[name] } ?? value(of: name)
        }
    }

    private mutating func value(of name: String) -> Record.Value? {
        let values = Versions<Record.Value?>(
            base: versions.base[name], local: versions.local[name], remote: versions.remote[name])
        let rule = rules.rule(of: name, type)
        // What the local side has saved since is sent as a mark, and gets a later time.
        if case .serverTime = rule { return values.local.isSame(as: values.base) ? values.remote : values.local }
        // Before equality: two sides that both add 1 have equal values.
        if case .counter = rule, let sum = values.sum { return sum }
        if values.local.isSame(as: values.remote) || values.local.isSame(as: values.base) { return values.remote }
        if values.remote.isSame(as: values.base) { return values.local }
        var contest = rules.contested
        switch rule {
        case .contested(let other)?: contest = other
        case .counter?, .serverTime?: break
        case .list?: if let members = values.members(isOrdered: true) { return members }
        case .set?: if let members = values.members(isOrdered: false) { return members }
        case nil: if values.areReferences, let members = values.members(isOrdered: true) { return members }
        }
        contested.append(name)
        if case .custom(let choose) = contest { return choose(values.base, values.local, values.remote) }
        return contest.takesLocal(versions.local, over: versions.remote) ? values.local : values.remote
    }

    /// The fields of the side that a group is taken from.
    private mutating func side(of group: [String]) -> Record.Fields {
        func isSame(_ left: Record.Fields, _ right: Record.Fields) -> Bool {
            group.allSatisfy { left[$0].isSame(as: right[$0]) }
        }
        let (base, local, remote) = (versions.base, versions.local, versions.remote)
        if isSame(local, remote) || isSame(local, base) { return remote }
        if isSame(remote, base) { return local }
        contested += group
        return rules.contested.takesLocal(local, over: remote) ? local : remote
    }
}

extension SyncRules.Contest {
    /// Whether the local values win over the remote ones.
    func takesLocal(_ local: Record.Fields, over remote: Record.Fields) -> Bool {
        switch self {
        case .remote, .custom: return false
        case .local: return true
        case .newest(let field):
            guard case .date(let localDate)? = local[field] else { return false }
            guard case .date(let remoteDate)? = remote[field] else { return true }
            return localDate > remoteDate
        }
    }
}
