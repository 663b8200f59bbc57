import Foundation
import NestedRecords

/// The answer to a commit.
struct CommitAnswer {
    /// The versions of the saved records, in their order.
    let versions: [(tag: String, date: Date)]

    /// - Throws: `RecordDatabaseError` with the code `connectionLost` for an answer without a version of each save, after
    ///   which the marks say more.
    init(_ json: JSONValue, _ batch: RecordBatch) throws {
        let results = json["writeResults"]?.elements ?? []
        versions = results.prefix(batch.saves.count).compactMap { result in
            guard let tag = result["updateTime"]?.text, let date = Timestamp.date(tag) else { return nil }
            return (tag, date)
        }
        if versions.count < batch.saves.count { throw FirestoreExchange.cut("commit") }
    }
}
