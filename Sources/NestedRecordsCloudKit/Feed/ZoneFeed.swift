import Foundation
@_spi(Engines) import NestedRecords

/// The changes of a zone.
///
/// Each request is repeated here: a wait consists of many, and would begin again after each that fails.
struct ZoneFeed: RecordFeed {
    let base: CloudKitRecordDatabase
    let store: String
    private let newest = NewestPosition()
    var database: any RecordDatabase { base }

    init(base: CloudKitRecordDatabase, store: String) { (self.base, self.store) = (base, store) }

    /// Returns the current position, for which the changes since the last known one are read without their fields.
    func changeToken() async throws -> ChangeToken {
        let user = try await userName()
        var position = newest.position(of: user)
        var isComplete = false
        while !isComplete {
            let changes: ZoneChanges
            do {
                changes = try await read(since: position, limit: nil, hasFields: false)
            } catch RecordDatabaseError.Code.changeTokenExpired where position != nil {
                position = nil
                continue
            }
            // The position stays if nothing has changed: CloudKit may give a different token.
            if position == nil || !changes.isEmpty || !changes.isComplete { position = changes.position }
            isComplete = changes.isComplete
        }
        newest.set(position, of: user)
        return try ZonePosition(user: user, position: position ?? Data()).token(of: store)
    }

    /// Returns the beginning, from which on each existing record is a change.
    func oldestChangeToken() async throws -> ChangeToken {
        try await ZonePosition(user: userName(), position: Data()).token(of: store)
    }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        let start = try ZonePosition(token, of: store)
        let user = try await userName()
        guard start.user.utf8.elementsEqual(user.utf8) else {
            throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherReader))
        }
        let position = start.position.isEmpty ? nil : start.position
        let changes = try await read(since: position, limit: min(max(1, limit), Self.mostChanges), hasFields: true)
        // The changes are those of another user if the device has changed its user in between.
        guard try await userName().utf8.elementsEqual(user.utf8) else {
            throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherReader))
        }
        let isUnchanged = changes.isEmpty && changes.isComplete && position != nil
        let end = ZonePosition(user: user, position: changes.position)
        var found = RecordChanges(token: isUnchanged ? token : try end.token(of: store), isComplete: changes.isComplete)
        for record in changes.saved {
            guard let content = try base.mapping.decode(record.fields, record.system) else { continue }
            if content.isDeleted { found.deleted.append(content.record.id) } else { found.saved.append(content.record) }
        }
        for deletion in changes.deleted {
            let id = try base.mapping.naming.id(ofDeleted: deletion.recordName, recordType: deletion.recordType)
            if let id { found.deleted.append(id) }
        }
        return found
    }

    /// Never called: the feed is polled.
    func waitForChanges(after token: ChangeToken) async throws {}

    /// The number of changes in one answer.
    private static let mostChanges = 400

    private func userName() async throws -> String {
        try await repeatingRead { try await reportingFailures { try await base.port.userName() } }
    }

    private func read(since position: Data?, limit: Int?, hasFields: Bool) async throws -> ZoneChanges {
        do {
            return try await base.port.repeatedChanges(since: position, limit: limit, hasFields: hasFields)
        } catch CloudKitFailure.zoneMissing where position != nil {
            throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherStore))
        } catch let failure as CloudKitFailure {
            throw failure.error
        }
    }
}

/// A position in the changes of a zone, as a user sees it.
private struct ZonePosition {
    let user: String

    /// CloudKit's token; empty for the beginning.
    let position: Data

    init(user: String, position: Data) { (self.user, self.position) = (user, position) }

    init(_ token: ChangeToken, of store: String) throws {
        guard token.store.utf8.elementsEqual(store.utf8), let end = token.payload.firstIndex(of: 0),
            let user = String(validUTF8: Array(token.payload[..<end]))
        else { throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherStore)) }
        (self.user, position) = (user, Data(token.payload[(end + 1)...]))
    }

    func token(of store: String) throws -> ChangeToken {
        try ChangeToken(store: store, payload: Array(user.utf8) + [0] + Array(position))
    }
}

/// The newest position that a feed has seen, and whose it is.
private final class NewestPosition: Sendable {
    private let state = Lock((user: "", position: Data?.none))

    func position(of user: String) -> Data? {
        state.withLock { $0.user.utf8.elementsEqual(user.utf8) ? $0.position : nil }
    }

    func set(_ position: Data?, of user: String) { state.withLock { $0 = (user, position) } }
}
