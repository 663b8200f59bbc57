@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The outcomes of batches in a database that keeps none: a record for each batch, saved with it.
///
/// A batch with the identifier of a record fails, so that a copy that arrives later has no effect. A record without saves
/// voids its batch. The records belong to a reader, and are removed after a time. Their names have the time of the batch first,
/// so that the oldest are the first of a list.
struct CommitRecords: Sendable {
    let database: any RecordDatabase
    let reader: String
    let age: Duration

    private static let type = Record.ID.reservedTypePrefix + "Commit"

    /// The number of hexadecimal digits of the digests of a reader and of contents.
    private static let digestSize = 32

    /// Whether the records are needed, and the database can keep them.
    var areKept: Bool {
        !database.capabilities.contains(.outcomes)
            && database.capabilities.isSuperset(of: [.atomicBatches, .missingConditions])
    }

    private var prefix: String { Self.digest(of: Array(reader.utf8)) + "." }

    /// - Throws: `RecordDatabaseError` with the code `unsupported` for an identifier that `RecordBatch.makeID()` did not make.
    private func id(of batch: String) throws -> Record.ID {
        let parts = batch.unicodeScalars.split(separator: "-").map { String($0) }
        guard RecordBatch.parts(ofID: batch) != nil, parts.count == 2 else {
            throw RecordDatabaseError(
                .unsupported, reason: "RecordBatch.makeID() did not make the identifier \(batch.debugDescription)")
        }
        // Of nine digits until the year 5188.
        let zeros = String(repeating: "0", count: max(0, 9 - parts[1].utf8.count))
        return try Record.ID(type: Self.type, name: prefix + zeros + parts[1] + "-" + parts[0])
    }

    private static func digest(of bytes: [UInt8]) -> String { String(SHA256.digest(of: bytes).prefix(digestSize)) }

    /// What identifies the contents of a record: the names of the fields that are a server timestamp, and a digest of the
    /// others; nil for a record with such a timestamp within a field.
    private static func contents(of record: Record) throws -> Record.Value? {
        let stamped = record.fields.filter { $0.value.kind == .serverTimestamp }.map(\.name)
        guard let digest = try digest(of: record, without: stamped) else { return nil }
        return .list(([digest] + stamped).map { .string($0) })
    }

    /// Whether a record in the database has such contents.
    private static func has(_ record: Record, _ contents: Record.Value?) throws -> Bool {
        guard let texts = contents?.list?.compactMap(\.text), let digest = texts.first else { return false }
        let stamped = Array(texts.dropFirst())
        guard stamped.allSatisfy({ record[$0]?.date == record.metadata?.modificationDate }) else { return false }
        return try self.digest(of: record, without: stamped) == digest
    }

    private static func digest(of record: Record, without names: [String]) throws -> String? {
        var (writer, contents) = (RecordLineWriter(), record)
        contents.metadata = nil
        for name in names { contents[name] = .null }
        if contents.hasServerTimestamp { return nil }
        try writer.write(contents)
        return digest(of: writer.takeBytes())
    }
}

extension CommitRecords {
    /// Commits a batch, with the record of its outcome if it has an identifier.
    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        guard let name = batch.id, areKept else { return try await database.commit(batch) }
        let id = try id(of: name)
        var contents: [(String, Record.Value)] = []
        for record in batch.saves {
            if let digest = try Self.contents(of: record) { contents.append((record.id.description, digest)) }
        }
        let outcome = try Record(id: id, fields: ["saved": .map(Record.Fields(contents))])
        var attempt = 1
        while true {
            // The record must be added, also by a batch that overwrites.
            var sent = try await batch.versioned(in: database)
            sent.id = nil
            sent.saves.append(outcome)
            do {
                var saved = try await database.commit(sent)
                saved[id] = nil
                return saved
            } catch let error as RecordDatabaseError where error.kind == .conflict || error.kind == .alreadyExists {
                // A copy of a batch conflicts with the records that the first one has saved.
                if try await database.record(for: id) != nil { throw RecordDatabaseError(.batchVoided, .batch(name)) }
                guard batch.savePolicy == .overwrite, [.conflict, .unknownRecord].contains(error.code),
                    batch.saves.contains(where: { $0.id == error.recordID }) && attempt < 100
                else { throw error }
                // Another writer was faster.
                attempt += 1
                try await Task.sleep(for: .milliseconds(attempt))
            }
        }
    }

    /// Says what became of a batch, and voids it if it was not applied.
    func outcome(of name: String) async throws -> [Record.ID: Record.Metadata]? {
        guard areKept else { return try await database.outcome(of: name) }
        guard let date = RecordBatch.parts(ofID: name)?.date, Date().timeIntervalSince(date) < age.inSeconds else {
            throw RecordDatabaseError(.outcomeForgotten, .batch(name))
        }
        let id = try id(of: name)
        if try await database.record(for: id) == nil {
            do {
                try await database.commit(RecordBatch(saving: [Record(id: id, fields: [:])]))
                return nil
            } catch RecordDatabaseError.Code.conflict {
                // The batch has arrived since.
            }
        }
        guard case .map(let contents)? = try await database.record(for: id)?.fields["saved"] else { return nil }
        var saved: [Record.ID: Record.Metadata] = [:]
        for record in try await database.records(for: contents.map { try Record.ID($0.name) }) {
            // Equal contents may be of a later save, whose version is as good.
            if try Self.has(record, contents[record.id.description]) { saved[record.id] = record.metadata }
        }
        return saved
    }

    /// Removes the reader's records of outcomes that are forgotten for as long again.
    func removeOld() async throws {
        guard database.capabilities.contains(.orderedVersions) else { return }
        let end = Date(timeIntervalSinceNow: -2 * age.inSeconds)
        while true {
            let first = try await database.versions(ofType: Self.type, after: prefix, limit: Self.removedCount)
                .map(\.id).prefix { $0.name.utf8.starts(with: prefix.utf8) }
            // By the clock of the server: that of the client is in the name.
            let old = try await database.records(for: Array(first)).filter { record in
                record.metadata.map { $0.modificationDate < end } ?? false
            }
            if !old.isEmpty { try await database.commit(RecordBatch(deletingAnyVersionOf: old.map(\.id))) }
            if old.count < Self.removedCount { return }
        }
    }

    /// The number of records that are removed together.
    private static let removedCount = 100
}
