import NestedRecords
import TestSupport

extension DatabaseFault {
    static let fetching = [
        DatabaseFault(
            "finds what is not there", violates: "answers with the records that it has and leaves out the others",
            saying: "the record Sample/absent was found"
        ) {
            BrokenDatabase(fetch: { base, ids in
                let found = try await base.records(for: ids)
                return try Dictionary(uniqueKeysWithValues: ids.map { ($0, try found[$0] ?? Record(id: $0)) })
            })
        },
        DatabaseFault(
            "answers with all that it has", violates: "answers with the records that it has and leaves out the others",
            saying: "the record Sample/unasked was found"
        ) {
            BrokenDatabase(fetch: { base, _ in
                var found: [Record.ID: Record] = [:]
                for try await record in base.records(ofType: nil) { found[record.id] = record }
                return found
            })
        },
        DatabaseFault(
            "refuses to look for what is not there",
            violates: "answers with the records that it has and leaves out the others", saying: "Malfunction"
        ) {
            BrokenDatabase(fetch: { base, ids in
                let found = try await base.records(for: ids)
                if found.count < ids.count { throw Malfunction() }
                return found
            })
        },
        DatabaseFault(
            "mixes up its answer", violates: "answers with each record under its own ID",
            saying: "was found under the ID"
        ) {
            BrokenDatabase(fetch: { base, ids in
                let found = try await base.records(for: ids)
                return Dictionary(uniqueKeysWithValues: zip(found.keys, Array(found.values.dropFirst()) + found.values))
            })
        },
        DatabaseFault(
            "takes nothing for everything", violates: "answers with nothing where nothing is asked for",
            saying: "the answer has 1 records"
        ) {
            BrokenDatabase(fetch: { base, ids in
                guard ids.isEmpty else { return try await base.records(for: ids) }
                var found: [Record.ID: Record] = [:]
                for try await record in base.records(ofType: nil) { found[record.id] = record }
                return found
            })
        },
        DatabaseFault(
            "forgets metadata", violates: "fetches a record with the metadata that the save answered with",
            saying: "came back with other metadata"
        ) {
            BrokenDatabase(fetch: { base, ids in
                try await base.records(for: ids).mapValues { try Record(id: $0.id, fields: $0.fields) }
            })
        },
        DatabaseFault(
            "merges new fields into the old ones", violates: "has what is saved in place of what was there",
            saying: "was saved with the fields"
        ) {
            BrokenDatabase(modify: { base, call in
                var call = call
                for index in call.saves.indices {
                    guard let old = try await base.record(for: call.saves[index].id) else { continue }
                    for (name, value) in old.fields where call.saves[index][name] == nil {
                        call.saves[index][name] = value
                    }
                }
                return try await call.perform(in: base)
            })
        },
    ]
}
