import TestSupport

@_spi(Engines) @testable import NestedRecords

extension DatabaseFault {
    static let cascades = [
        listing(
            "misses a record in its list", violates: "lets a chain of owned records be deleted with the first",
            saying: "went with '1' instead of"
        ) { $0.filter { $0.id.name != "4" } },
        listing(
            "lists no record with two references", violates: "lets a record that is owned twice be deleted once",
            saying: "went with 'top' instead of"
        ) { $0.filter { $0.references.count < 2 } },
        listing(
            "lists one reference of a record", violates: "lets a record be deleted with any of its owners",
            saying: "went with 'second' instead of"
        ) { $0.map { keepingFields(of: $0) { $0.name == "owner first" } } },
        DatabaseFault(
            "keeps what a record refers to, be it the record itself",
            violates: "lets a record that owns itself be deleted", saying: "Malfunction"
        ) { keepingTargets(ofItself: true) },
        DatabaseFault(
            "keeps what a record refers to, one after the other",
            violates: "lets a cycle of records that own each other be deleted", saying: "Malfunction"
        ) { keepingTargets(ofItself: false) },
        listing(
            "lists no references in lists", violates: "lets records with owners in lists and maps be deleted",
            saying: "went with 'owner' instead of"
        ) { $0.map { keepingFields(of: $0) { if case .list = $0.value { false } else { true } } } },
        listing(
            "lists no references in maps", violates: "lets records with owners in lists and maps be deleted",
            saying: "went with 'owner' instead of"
        ) { $0.map { keepingFields(of: $0) { if case .map = $0.value { false } else { true } } } },
        DatabaseFault(
            "gives all references as owning ones", violates: "keeps a record whose references own nothing",
            saying: "went with 'target' instead of"
        ) {
            var database = searching { $0.map(owningAll) }
            database.fetch = { base, ids in try await base.records(for: ids).map(owningAll) }
            return database
        },
        DatabaseFault(
            "empties records that refer to deleted ones", violates: "keeps a record whose references own nothing",
            saying: "Part/source did not stay as it was"
        ) {
            BrokenDatabase(modify: { base, call in
                for try await record in base.records(ofType: nil)
                where record.references.contains(where: { call.deletes.contains($0.id) }) {
                    let empty = keepingFields(of: record) { _ in false }
                    try await ModifyCall(saves: [empty], deletes: [], policy: .overwrite).perform(in: base)
                }
                return try await call.perform(in: base)
            })
        },
        listing(
            "lists no plain references", violates: "lists the references that dangle after a deletion",
            saying: "the plan has 0 references that dangle instead of one"
        ) { $0.map { keepingFields(of: $0) { $0.name != "targets" } } },
    ]

    private static func listing(
        _ description: String, violates requirement: String, saying explanation: String,
        _ change: @escaping @Sendable ([Record]) -> [Record]
    ) -> DatabaseFault {
        DatabaseFault(description, violates: requirement, saying: explanation) { searching(change) }
    }

    /// A database that finds references in a changed list of its records.
    private static func searching(_ change: @escaping @Sendable ([Record]) -> [Record]) -> BrokenDatabase {
        var database = BrokenDatabase(list: { base, type in RecordSequence.changing(base, type, change) })
        database.refer = { base, ids in
            var found: [Record.ID: [RecordReferrer]] = [:]
            for try await record in RecordSequence.changing(base, nil, change) {
                record.collectReferrers(to: Set(ids), into: &found)
            }
            return found
        }
        database.capabilities.remove(.referrerConditions)
        return database
    }

    private static func keepingFields(
        of record: Record, where isKept: (Record.Fields.Element) -> Bool
    ) -> Record {
        var record = record
        for field in record.fields where !isKept(field) { record[field.name] = nil }
        return record
    }

    private static func owningAll(_ record: Record) -> Record {
        var record = record
        for case (let name, .reference(var reference)) in record.fields {
            reference.action = .deleteSelf
            record[name] = .reference(reference)
        }
        return record
    }

    /// Deletes one record after the other, and none that a record which is still there refers to.
    private static func keepingTargets(ofItself: Bool) -> BrokenDatabase {
        BrokenDatabase(modify: { base, call in
            for id in call.deletes {
                for try await record in base.records(ofType: nil)
                where (ofItself || record.id != id) && record.references.contains(where: { $0.id == id }) {
                    throw Malfunction()
                }
                try await ModifyCall(saves: [], deletes: [id], policy: .overwrite).perform(in: base)
            }
            return try await ModifyCall(saves: call.saves, deletes: [], policy: call.policy).perform(in: base)
        })
    }
}
