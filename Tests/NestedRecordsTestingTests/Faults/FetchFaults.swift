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
                let missing = Set(ids).subtracting(found.map(\.id))
                return try found + missing.map { try Record(id: $0) }
            })
        },
        DatabaseFault(
            "answers with all that it has", violates: "answers with the records that it has and leaves out the others",
            saying: "the record Sample/unasked was found"
        ) {
            BrokenDatabase(fetch: { base, _ in try await Array(base.allRecords.values) })
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
            "answers twice", violates: "answers with each record once", saying: "the record Sample/a was found twice"
        ) {
            BrokenDatabase(fetch: { base, ids in
                let found = try await base.records(for: ids)
                return ids.count > 1 ? found + found : found
            })
        },
        DatabaseFault(
            "mixes up its answer", violates: "answers with each record once",
            saying: "came back with the fields of another record"
        ) {
            BrokenDatabase(fetch: { base, ids in
                let found = try await base.records(for: ids)
                return try zip(found, found.dropFirst() + found).map { try Record(id: $0.id, fields: $1.fields) }
            })
        },
        DatabaseFault(
            "takes nothing for everything", violates: "answers with nothing where nothing is asked for",
            saying: "the answer has 1 records"
        ) {
            BrokenDatabase(fetch: { base, ids in
                try await ids.isEmpty ? Array(base.allRecords.values) : base.records(for: ids)
            })
        },
        DatabaseFault(
            "forgets metadata", violates: "fetches a record with the metadata that the save answered with",
            saying: "came back with other metadata"
        ) {
            BrokenDatabase(fetch: { base, ids in
                try await base.records(for: ids).map { try Record(id: $0.id, fields: $0.fields) }
            })
        },
        DatabaseFault(
            "merges new fields into the old ones", violates: "replaces the stored fields by the saved ones",
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
