import Foundation
import Testing

@testable import NestedRecords
@testable import NestedRecordsHTTP

@Suite struct ErrorFormTests {
    private static let record = try? Record(
        id: Record.ID("Sample/a"), fields: ["n": 1],
        metadata: Record.Metadata(changeTag: "7", creationDate: .distantPast, modificationDate: .distantPast))

    private static var errors: [RecordDatabaseError] {
        guard let record, let other = try? Record.ID("Sample/b") else { return [] }
        var refused = RecordDatabaseError(.notPermitted, reason: "no")
        refused.failures = [record.id: RecordError(.outsideScope, reason: "it is Bob's", recordID: record.id)]
        var slow = RecordDatabaseError(.tooManyRequests, hint: "wait")
        slow.retryAfter = .milliseconds(2_500)
        return [
            RecordDatabaseError(.conflict, .versions(client: record, server: record)),
            RecordDatabaseError(.versionMismatch, .versions(server: record, expected: .changeTag("8"))),
            RecordDatabaseError(.versionMismatch, .versions(expected: .missing), recordID: record.id),
            RecordDatabaseError(.unknownRecord, .versions(client: record)),
            RecordDatabaseError(.valueTaken, context: RecordContext(record: record.id, field: "email")),
            RecordDatabaseError(
                .stillReferenced,
                .references([
                    DanglingReference(
                        target: record.id,
                        context: RecordContext(record: other, field: "list", codingPath: "list[2].a".keys))
                ])),
            RecordDatabaseError(.batchTooLarge, .size(7, limit: 3)),
            RecordDatabaseError(.unsupported, .missing([.conditions, .outcomes]), hint: "ask"),
            RecordDatabaseError(.changeTokenExpired, .expiry(.scopeChanged)),
            RecordDatabaseError(.batchVoided, .batch("a-b")),
            RecordDatabaseError(.partiallyDeleted, .deleted([record.id, other])),
            RecordDatabaseError(.partiallySaved, .saved([record.id: record.metadata].compactMapValues { $0 })),
            RecordDatabaseError(.refused, isTransient: true), refused, slow,
        ]
    }

    @Test(arguments: errors.indices)
    func errorArrivesAsItWasThrown(_ index: Int) throws {
        let error = Self.errors[index]
        let record = try #require(Self.record)
        let message = try Message(try ErrorForm.message(of: error).bytes())
        let arrived = try #require(
            try ErrorForm.error(
                from: message.map.required("error", \.members), records: message.records,
                batch: RecordBatch(saving: [record])) as? RecordDatabaseError)
        #expect(arrived.description == error.description)
        #expect(arrived.code == error.code && arrived.kind == error.kind && arrived.isTransient == error.isTransient)
        #expect(arrived.recordID == error.recordID && arrived.hint == error.hint)
        #expect(arrived.retryAfter == error.retryAfter && arrived.context.field == error.context.field)
        #expect(arrived.clientRecord == error.clientRecord && arrived.serverRecord == error.serverRecord)
        #expect(arrived.expectedVersion == error.expectedVersion && arrived.expiry == error.expiry)
        #expect(arrived.savedMetadata == error.savedMetadata && arrived.deletedIDs == error.deletedIDs)
        #expect(arrived.missingCapabilities == error.missingCapabilities && arrived.batchID == error.batchID)
        #expect(arrived.references.map(\.description) == error.references.map(\.description))
        #expect(arrived.failures.mapValues { "\($0)" } == error.failures.mapValues { "\($0)" })
    }

    @Test func errorOfARecordArrivesWithItsPlace() throws {
        let id = try Record.ID("Sample/a")
        let error = RecordError(
            .depthLimitExceeded, reason: "more than 3", recordID: id,
            context: RecordContext(record: id, field: "f", chain: [RecordContext.Step(record: id, path: "x")]))
        let arrived = try #require(
            try ErrorForm.error(from: ErrorForm.map(of: error), records: [], batch: nil) as? RecordError)
        #expect(arrived.description == error.description && arrived.code == error.code && arrived.kind == error.kind)
    }

    @Test func otherErrorsRevealNothing() throws {
        struct Secret: Error { let path = "/home/ann" }
        let map = ErrorForm.map(of: Secret())
        #expect(!"\(map)".contains("ann"))
        let error = try ErrorForm.error(from: map, records: [], batch: nil)
        #expect("\(error)" == "serverFault: the server has failed")
    }
}

extension String {
    fileprivate var keys: [any CodingKey] {
        split { ".[]".contains($0) }.map { part in
            Int(part).map { PathKey(index: $0) } ?? PathKey(stringValue: String(part))
        }
    }
}
