/// The audiences of a database as it keeps them: the declarations, and the index of the records.
package struct KeptAudiences: Sendable {
    private var declared = DeclaredAudiences()

    /// The types that are followed whole, and the numbers since which they are.
    private var wholeTypes: [String: UInt64] = [:]
    package private(set) var index: AudienceIndex

    package init(maximumDepartureCount: Int) { index = AudienceIndex(maximumDepartureCount: maximumDepartureCount) }

    /// Whether records of the type have values.
    package func keeps(_ type: String) -> Bool { declared[type] != nil || wholeTypes[type] != nil }

    private func keys(of record: Record) -> [AudienceKey] {
        var keys = declared[record.id.type]?.keys(of: record) ?? []
        if wholeTypes[record.id.type] != nil { keys.append(AudienceKey(record.id.type, .type)) }
        return keys
    }
}

// MARK: Keeping

extension KeptAudiences {
    /// Declares an audience, or ends it.
    ///
    /// - Parameters:
    ///   - audience: The audience; nil for none.
    ///   - type: The record type.
    ///   - number: The number of the batch.
    ///   - records: The records of the type after the batch.
    package mutating func declare(
        _ audience: RecordAudience?, ofType type: String, at number: UInt64, over records: some Sequence<Record>
    ) {
        if declared[type] == audience { return }
        declared.set(audience, ofType: type, since: number)
        index(records, at: number, isNew: true)
    }

    /// Follows all records of a type from now on, unless that is done.
    package mutating func follow(_ type: String, at number: UInt64, over records: some Sequence<Record>) {
        guard wholeTypes[type] == nil else { return }
        wholeTypes[type] = number
        index(records, at: number, isNew: false)
    }

    private mutating func index(_ records: some Sequence<Record>, at number: UInt64, isNew: Bool) {
        for record in records {
            if isNew { index.forget(record.id) }
            index.change(record.id, to: keys(of: record), at: number)
        }
    }

    /// Notes a saved record.
    package mutating func save(_ record: Record, at number: UInt64) {
        guard keeps(record.id.type) else { return }
        index.change(record.id, to: keys(of: record), at: number)
    }

    /// Notes a deleted record.
    package mutating func delete(_ id: Record.ID, at number: UInt64) {
        guard keeps(id.type) else { return }
        if wholeTypes[id.type] != nil, !index.has(id) {
            // Its versions are gone, as after a compaction of a file.
            let departure = AudienceIndex.Departure(id: id, number: number, isDeletion: true)
            return index.note(departure, of: AudienceKey(id.type, .type))
        }
        index.change(id, to: [], isDeletion: true, at: number)
    }
}

// MARK: Compaction of a file

extension KeptAudiences {
    /// The values that make readers members of containers: when they were added shows which containers are new to a reader.
    package var members: [(id: Record.ID, key: AudienceKey, added: UInt64)] {
        let containers = declared.containerTypes
        return index.allValues.filter { containers.contains($0.id.type) }
    }

    /// Takes in what a compaction has kept, after the records.
    ///
    /// A batch has the number of its last change that the compaction has left, which may be smaller than before. A departure
    /// gets the number of its record's change in the same batch: on a later page it would remove the record that has come
    /// back with the change. No change of a record is older than a departure of it, unless they are of one batch.
    package mutating func restore(
        _ departures: [(key: AudienceKey, departure: AudienceIndex.Departure)],
        _ members: [(id: Record.ID, key: AudienceKey, added: UInt64)], purgedNumber: UInt64
    ) {
        let numbered = departures.enumerated().map { position, kept in
            (number: min(kept.departure.number, index.change(of: kept.departure.id) ?? .max), position: position)
        }
        for (number, position) in numbered.sorted(by: { $0 < $1 }) {
            let (key, departure) = departures[position]
            index.note(
                AudienceIndex.Departure(id: departure.id, number: number, isDeletion: departure.isDeletion), of: key)
        }
        for member in members { index.setAdded(member.key, of: member.id, to: member.added) }
        index.forgetDepartures(until: purgedNumber)
    }
}

// MARK: Reading

extension KeptAudiences {
    /// The types that a view follows whole, and that are not followed yet.
    package func unfollowedTypes(of view: AudienceView) -> [String] {
        view.wholeTypes.filter { wholeTypes[$0] == nil }
    }

    /// Why the changes of a view since a number cannot be reported; nil if they can.
    package func refusal(of view: AudienceView, since number: UInt64) -> DeclaredAudiences.Refusal? {
        if let refusal = declared.refusal(of: view, since: number) { return refusal }
        for type in view.wholeTypes where number < wholeTypes[type] ?? .max { return .purged }
        return number < index.purgedNumber ? .purged : nil
    }
}
