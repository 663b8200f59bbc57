import NestedRecords
import TestSupport

extension DatabaseFault {
    static let concurrency = [
        losingCall(
            77, violates: "keeps every record of a hundred concurrent saves", saying: "there is no record Sample/"),
        DatabaseFault(
            "runs out of tags", violates: "gives different tags to the versions of a hundred concurrent saves",
            saying: "a hundred saves of one record have 36 different tags"
        ) { .showing { metadata, _ in metadata.changeTag = String(metadata.changeTag.suffix(1)) } },
        DatabaseFault(
            "lets everyone win", violates: "lets one of two concurrent changes of a version win",
            saying: "2 of two changes were saved"
        ) {
            BrokenDatabase(modify: { base, call in
                var call = call
                call.policy = .overwrite
                return try await call.perform(in: base)
            })
        },
        DatabaseFault(
            "checks conditions first, and saves then",
            violates: "checks the conditions of a batch together with its changes", saying: "two batches were applied"
        ) {
            let (checks, bothChecked) = (CallCounter(), Gate())
            return BrokenDatabase(modify: { base, call in
                if call.conditions.isEmpty { return try await call.perform(in: base) }
                var check = RecordBatch()
                check.conditions = call.conditions
                try await base.commit(check)
                if checks.next() == 2 { bothChecked.open() }
                await bothChecked.wait()
                var rest = call
                rest.conditions = []
                return try await rest.perform(in: base)
            })
        },
        DatabaseFault(
            "shows half a batch", violates: "shows a concurrent reader all of a batch or nothing",
            saying: "a reader found records of two batches"
        ) {
            let (calls, half, fetched) = (CallCounter(), Gate(), Gate())
            return BrokenDatabase(
                fetch: { base, ids in
                    await half.wait()
                    defer { fetched.open() }
                    return try await base.records(for: ids)
                },
                modify: { base, call in
                    var answer: [Record.ID: Record.Metadata] = [:]
                    // The reader begins after the first batch.
                    let isFetched = calls.next() > 1
                    for record in call.saves {
                        let alone = ModifyCall(saves: [record], deletes: [], policy: call.policy)
                        try await answer.merge(alone.perform(in: base)) { $1 }
                        guard isFetched else { continue }
                        half.open()
                        await fetched.wait()
                    }
                    return answer
                })
        },
    ]

    /// One call is answered, and nothing done.
    static func losingCall(
        _ number: Int, limit: Int = .max, violates requirement: String, saying explanation: String
    ) -> DatabaseFault {
        DatabaseFault("loses call \(number)", violates: requirement, saying: explanation) {
            let calls = CallCounter()
            return BrokenDatabase(
                limit: limit,
                modify: { base, call in
                    let answer = try await call.perform(in: base)
                    if calls.next() == number {
                        let ids = call.saves.map(\.id)
                        try await ModifyCall(saves: [], deletes: ids, policy: .overwrite).perform(in: base)
                    }
                    return answer
                })
        }
    }

    private final class CallCounter: Sendable {
        private let count = Locked(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }
}

extension DatabaseFault {
    static let limits = [
        DatabaseFault(
            "saves more than its limit", violates: "refuses to save and delete more than its limit in one call",
            saying: "a call with 4 records and a limit of 3 was not refused"
        ) { BrokenDatabase(limit: 3) },
        DatabaseFault(
            "counts saves and deletes apart", violates: "refuses to save and delete more than its limit in one call",
            saying: "was not refused"
        ) {
            BrokenDatabase(
                limit: 3,
                modify: { base, call in
                    let count = max(call.saves.count, call.deletes.count)
                    guard count <= 3 else { throw RecordDatabaseError(.batchTooLarge, .size(count, limit: 3)) }
                    return try await call.perform(in: base)
                })
        },
        DatabaseFault(
            "deletes before it counts", violates: "deletes nothing of a call with more than its limit",
            saying: "there is no record Sample/kept"
        ) {
            BrokenDatabase(
                limit: 3,
                modify: { base, call in
                    try await ModifyCall(saves: [], deletes: call.deletes, policy: .overwrite).perform(in: base)
                    let count = call.saves.count + call.deletes.count
                    guard count <= 3 else { throw RecordDatabaseError(.batchTooLarge, .size(count, limit: 3)) }
                    return try await call.perform(in: base)
                })
        },
        DatabaseFault(
            "fetches more than its limit", violates: "refuses to fetch more than its limit in one call",
            saying: "a call with 4 records and a limit of 3 was not refused"
        ) { BrokenDatabase(limit: 3) },
        DatabaseFault(
            "refuses its own limit", violates: "takes as many as its limit in one call",
            saying: "the batch has 3 records, the database takes 2 at a time"
        ) { BrokenDatabase(base: InMemoryRecordDatabase(batchLimit: 2), limit: 3) },
        losingCall(
            3, limit: 3, violates: "takes a graph that is larger than its limit", saying: "there is no record Sample/6"),
    ]
}
