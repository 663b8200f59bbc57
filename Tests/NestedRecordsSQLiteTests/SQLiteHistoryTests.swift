#if SQLite
    import Foundation
    import TestSupport
    import Testing

    @testable import NestedRecords
    @testable import NestedRecordsSQLite

    /// The same random history in SQLite and in memory.
    @Suite struct SQLiteHistoryTests {
        /// A database, and what was there after each step.
        private struct Side<Database: ObservableRecordDatabase> {
            let database: Database
            var states: [[Record.ID: Record]] = [[:]]
            var tokens: [ChangeToken] = []

            /// The record as it was read at a step; nil if it was not there.
            func record(_ id: Record.ID, at step: Int) -> Record? { states[min(step, states.count - 1)][id] }

            func version(_ id: Record.ID, at step: Int) -> RecordBatch.Version {
                record(id, at: step).map { RecordBatch.Version(of: $0) } ?? .missing
            }

            /// Applies a batch, and gives the code of the error, if there is one.
            mutating func apply(_ batch: RecordBatch) async throws -> RecordDatabaseError.Code? {
                var code: RecordDatabaseError.Code?
                do {
                    let saved = try await database.commit(batch)
                    #expect(Set(saved.keys) == Set(batch.saves.map(\.id)))
                } catch let failure as RecordDatabaseError {
                    code = failure.code
                }
                states.append(try await database.allRecords)
                tokens.append(try await database.changeToken())
                return code
            }
        }

        /// What is to be done with a record, without a version of either database.
        private enum Change {
            case save(Record.Fields, readAt: Int?)
            case delete(readAt: Int?)
            case require(readAt: Int)
        }

        private func batch<Database>(
            _ changes: [(id: Record.ID, change: Change)], _ policy: SavePolicy, for side: Side<Database>
        ) throws -> RecordBatch {
            var batch = RecordBatch(savePolicy: policy)
            for (id, change) in changes {
                switch change {
                case .save(let fields, let step):
                    let metadata = step.flatMap { side.record(id, at: $0)?.metadata }
                    batch.saves.append(try Record(id: id, fields: fields, metadata: metadata))
                case .delete(let step):
                    let version = step.map { side.version(id, at: $0) } ?? .any
                    batch.deletions.append(RecordBatch.Deletion(id, version: version))
                case .require(let step):
                    batch.conditions.append(RecordBatch.Condition(id, version: side.version(id, at: step)))
                }
            }
            return batch
        }

        private func withoutTags(_ records: some Sequence<Record>) -> [Record.ID: [String]] {
            Dictionary(
                uniqueKeysWithValues: records.map { record in
                    let metadata = record.metadata
                    let dates = [metadata?.creationDate, metadata?.modificationDate].map { "\(String(describing: $0))" }
                    return (record.id, dates + ["\(record)"])
                })
        }

        @Test(.timeLimit(.minutes(5)), arguments: 0..<6)
        func aRandomHistoryGoesAsInMemory(_ seed: UInt64) async throws {
            let folder = try TemporaryFolder()
            let time = Locked(0.0)
            let now: @Sendable () -> Date = { Date(timeIntervalSinceReferenceDate: time.withLock { $0 }) }
            var options = SQLiteRecordDatabase.Options()
            options.now = now
            options.durability = .relaxed
            options.indexes = [FieldIndex("Book", by: "a"), FieldIndex("Shelf", by: .modificationDate)]
            var stored = Side(database: try SQLiteRecordDatabase(path: folder.path(), options: options))
            var memory = Side(database: InMemoryRecordDatabase(now: now))
            stored.tokens.append(try await stored.database.changeToken())
            memory.tokens.append(try await memory.database.changeToken())
            var random = RandomQuery(seed: seed)
            var generator = SplitMix64(seed: seed)
            var codes: Set<RecordDatabaseError.Code?> = []

            for step in 1...60 {
                // The clock may be set back.
                time.withLock { $0 += Double.random(in: -1...3, using: &generator) }
                let records = try random.records().shuffled(using: &generator).prefix(
                    Int.random(in: 0...6, using: &generator))
                let changes = records.map { record in
                    let readAt = Int.random(in: max(0, step - 20)..<step, using: &generator)
                    let change: Change =
                        switch Int.random(in: 0..<8, using: &generator) {
                        case 0: .delete(readAt: readAt)
                        case 1: .delete(readAt: nil)
                        case 2: .require(readAt: step - 1)
                        case 3, 4: .save(record.fields, readAt: readAt)
                        default: .save(record.fields, readAt: step - 1)
                        }
                    return (id: record.id, change: change)
                }
                let policy = generator.pick(SavePolicy.allCases)
                let code = try await stored.apply(batch(changes, policy, for: stored))
                #expect(
                    try await memory.apply(batch(changes, policy, for: memory)) == code, "seed \(seed), step \(step)")
                codes.insert(code)
                #expect(
                    withoutTags(stored.states[step].values) == withoutTags(memory.states[step].values),
                    "seed \(seed), step \(step)")

                let since = Int.random(in: 0...step, using: &generator)
                let limit = generator.pick([1, 4, 1_000])
                let changed = try await stored.database.changes(since: stored.tokens[since], limit: limit)
                let expected = try await memory.database.changes(since: memory.tokens[since], limit: limit)
                #expect(withoutTags(changed.saved) == withoutTags(expected.saved), "seed \(seed), step \(step)")
                #expect(Set(changed.deleted) == Set(expected.deleted) && changed.isComplete == expected.isComplete)

                let query = try random.query()
                // Tags differ from database to database.
                if "\(query)".contains("@changeTag") { continue }
                let found = try await stored.database.page(query).records.map(\.id)
                #expect(try await memory.database.page(query).records.map(\.id) == found, "seed \(seed), \(query)")
            }
            #expect(codes.contains(nil) && codes.count > 1, "some batches are refused: \(codes)")
            #expect(try await stored.database.verify() == [])
        }
    }
#endif
