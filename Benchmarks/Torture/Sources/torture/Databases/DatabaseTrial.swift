import Foundation

@testable import NestedRecords
@testable import TestSupport

/// Decodes, saves and deletes in a database with wrong answers: each call returns or throws.
///
/// Correct answers lead to the saved value.
enum DatabaseTrial {
    /// - Parameter hidesLies: Whether the database counts as a correct one.
    static func run(_ random: inout SplitMix64, _ counts: inout Counts, hidesLies: Bool = false) async throws {
        let base = InMemoryRecordDatabase()
        let island = Island.random(&random)
        _ = try await RecordStore(base).overwrite(island)
        let all = LyingDatabase.Lie.allCases
        let lies = hidesLies ? [.values] : (0..<random.pick([0, 1, 1, 2, 4])).map { _ in random.pick(all) }
        let database = LyingDatabase(base, lies: lies, random: SplitMix64(seed: random.next()))
        var decoder = RecordDecoder()
        decoder.coding.maximumRecords = 2_000
        for _ in 0..<4 {
            let before = database.lieCount
            let isHonest = { hidesLies || database.lieCount == before }
            do {
                let value = try await decoder.decode(
                    Island.self, from: Record.ID(of: Island.self, named: 1), in: database)
                counts["values", default: 0] += 1
                if isHonest(), value != island {
                    throw Loss(description: "another value of honest answers, with \(lies): \(value), not \(island)")
                }
            } catch let error as Loss {
                throw error
            } catch {
                counts["errors", default: 0] += 1
                if isHonest(), !hidesLies {
                    throw Loss(description: "an error of honest answers, with \(lies): \(error)")
                }
            }
            guard !hidesLies else { continue }
            await attempt(&counts) {
                var number = 0
                for try await record in database.records(ofType: nil) { number += record.fields.count }
                return number
            }
        }
        guard !hidesLies else { return }
        // The save comes last, because only half of it may be made.
        var changed = island
        changed.name = "Eigg"
        changed.harbours.removeLast()
        let value = changed
        await attempt(&counts) { try await RecordStore(database).overwrite(value) }
        await attempt(&counts) { try await RecordStore(database).delete(Island.self, named: 1, .dangling) }
    }

    private static func attempt(_ counts: inout Counts, _ body: () async throws -> some Any) async {
        do {
            _ = try await body()
            counts["values", default: 0] += 1
        } catch {
            counts["errors", default: 0] += 1
        }
    }
}
