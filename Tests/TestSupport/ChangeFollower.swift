package import NestedRecords

/// What a reader of a feed has: a copy of all records, and a token.
package struct ChangeFollower: Sendable {
    package private(set) var records: [Record.ID: Record] = [:]
    package private(set) var token: ChangeToken

    /// How many pages it has read.
    package private(set) var pageCount = 0

    /// What a feed must never do.
    package struct Wrong: Error, CustomStringConvertible {
        package let description: String
    }

    package init(token: ChangeToken) { self.token = token }

    /// Begins with all records that are there, as a reader does whose token has expired.
    package init(snapshotOf database: some RecordDatabase & RecordFeed) async throws {
        token = try await database.changeToken()
        for try await record in database.records(ofType: nil, including: .system) { records[record.id] = record }
    }

    /// Reads one page.
    ///
    /// - Returns: Whether it was the last one.
    package mutating func readPage(of database: some RecordDatabase & RecordFeed, limit: Int) async throws -> Bool {
        let changes = try await database.changes(since: token, limit: limit, including: .system)
        for record in changes.saved {
            if let old = records[record.id], let before = old.number, let now = record.number, now < before {
                throw Wrong(description: "\(record.id) went back from \(before) to \(now)")
            }
            records[record.id] = record
        }
        for id in changes.deleted { records[id] = nil }
        guard changes.token.position >= token.position else {
            throw Wrong(description: "the token went back from \(token.position) to \(changes.token.position)")
        }
        // As text, as a reader keeps it that goes on after a restart.
        guard let token = ChangeToken(changes.token.description) else {
            throw Wrong(description: "\(changes.token) is no text of a token")
        }
        self.token = token
        pageCount += 1
        return changes.isComplete
    }

    /// Reads all pages.
    package mutating func catchUp(with database: some RecordDatabase & RecordFeed, limit: Int = 100) async throws {
        while try await !readPage(of: database, limit: limit) {}
    }
}

extension Record {
    /// The number in its change tag.
    fileprivate var number: UInt64? { metadata.flatMap { UInt64($0.changeTag, radix: 36) } }
}
