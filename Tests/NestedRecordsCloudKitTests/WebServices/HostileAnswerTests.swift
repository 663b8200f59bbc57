#if canImport(CloudKit) && os(Linux)
import CloudKit
import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

/// One answer to each call of the web services is damaged in each way: it is an error, and the next attempt finds or does
/// what was asked, once.
@Suite(.serialized) struct HostileAnswerTests {
    enum Call: String, CaseIterable, Sendable {
        case makeZone = "zones/modify"
        case lookUp = "records/lookup"
        case modify = "records/modify"
        case query = "records/query"
        case changes = "changes/zone"
        case caller = "users/caller"
        case askForUpload = "assets/upload"
        case upload = "/upload/"
        case download = "/download/"
    }

    enum Damage: CaseIterable, Sendable {
        case cut, empty, otherTypes, unknownFields, pageOfAProxy, errorOfAProxy

        func apply(to answer: StandInResponse) -> StandInResponse {
            var answer = answer
            let json = try? JSONSerialization.jsonObject(with: answer.body)
            switch self {
            case .cut: answer.body = answer.body.prefix(answer.body.count / 2)
            case .empty: answer.body = Data("{}".utf8)
            case .otherTypes: answer.body = Self.body(json.map(Self.withOtherTypes)) ?? Data("[1]".utf8)
            case .unknownFields: answer.body = Self.body(json.map { Self.withUnknownFields($0) }) ?? answer.body
            case .pageOfAProxy: answer.body = Data("<html>Sign in to the network</html>".utf8)
            case .errorOfAProxy: (answer.status, answer.body) = (502, Data("Bad gateway".utf8))
            }
            return answer
        }

        private static func body(_ json: Any?) -> Data? {
            json.flatMap { try? JSONSerialization.data(withJSONObject: $0) }
        }

        /// A list in the place of an object, a number in the place of a string, and a string in the place of others.
        private static func withOtherTypes(_ json: Any) -> Any {
            guard let members = json as? [String: Any] else { return ["text"] }
            return members.mapValues { member -> Any in
                if member is [String: Any] { return [Any]() }
                return member is String ? 7 : "text"
            }
        }

        private static func withUnknownFields(_ json: Any, isOfRecord: Bool = false) -> Any {
            if let elements = json as? [Any] { return elements.map { withUnknownFields($0) } }
            guard let members = json as? [String: Any] else { return json }
            var changed: [String: Any] = [:]
            for (name, member) in members { changed[name] = withUnknownFields(member, isOfRecord: name == "fields") }
            // The members of this object are the fields of a record.
            if !isOfRecord { changed["unknownToUs"] = ["a": [1, "b"]] }
            return changed
        }
    }

    private let cloud = StandInCloud()
    private let id: Record.ID

    init() throws { id = try Record.ID(type: "School", name: "1") }

    @Test(arguments: Call.allCases, Damage.allCases)
    func damagedAnswersAreErrorsAndNothingIsLost(_ call: Call, _ damage: Damage) async throws {
        // The bytes of a file have neither types nor fields.
        if call == .download, damage == .otherTypes || damage == .unknownFields { return }
        // The number of answers to damage; nil while none is.
        let left = Lock(0)
        let damaged = Lock(0)
        let damagedAnswer = { @Sendable (answer: StandInResponse, path: String) -> StandInResponse in
            guard path.contains(call.rawValue), left.withLock({ $0 > 0 }) else { return answer }
            left.withLock { $0 -= 1 }
            damaged.withLock { $0 += 1 }
            return damage.apply(to: answer)
        }
        var options = CloudKitRecordDatabase.Options.quick
        options.retries = RetryPolicy(attempts: 3, repeatsTransientErrors: true)
        options.types = ["School"]
        var access = cloud.access()
        if call == .query {
            cloud.web.verify = { _, _, _ in true }
            cloud.web.sha256 = { Data(WebServicesTests.hash($0)) }
            access = .serverKey(id: "key") { $0 }
        }
        let writer = try cloud.webDatabase(access, options: options)
        try await writer.prepare()
        let school = try Record(id: id, fields: ["a": 1, "b": "text", "c": ["x"], "d": .date(Date())])
        try await writer.commit(RecordBatch(saving: [school]))
        let stored = try #require(try await writer.record(for: id))
        let photo = Data("photo".utf8)
        let asset = call == .query ? nil : try await RecordStore(writer).assets.add(photo)
        let database = try cloud.webDatabase(access, options: options, changed: damagedAnswer)
        let retried = RetriedRecordDatabase(database, try #require(options.retries))

        // Without repetitions, an answer that is read is an error.
        let isRead = [.makeZone, .lookUp].contains(call)
        if isRead, damage != .unknownFields {
            left.withLock { $0 = 1 }
            let error = await #expect(throws: RecordDatabaseError.self) {
                if call == .makeZone { try await database.prepare() } else { _ = try await database.record(for: id) }
            }
            #expect(error?.code == .connectionLost)
        }
        left.withLock { $0 = 1 }
        damaged.withLock { $0 = 0 }
        cloud.resetCounts()
        switch call {
        case .makeZone:
            for _ in 0..<2 { try? await database.prepare() }
        case .lookUp: #expect(try await retried.record(for: id) == stored)
        case .modify:
            var changed = stored
            changed["a"] = 2
            let metadata = try await database.commit(RecordBatch(saving: [changed]))
            let found = try #require(try await writer.record(for: id))
            #expect(found["a"] == 2 && found.metadata == metadata[id])
            // The versions say that the batch was applied, so it is not sent again.
            #expect(cloud.counts[.webModifyRecords] == 1)
        case .query, .changes:
            var found: [Record] = []
            for try await record in database.records(ofType: "School") { found.append(record) }
            #expect(found == [stored])
        case .caller:
            let feed = try #require(database.feed)
            #expect(try await feed.changes(since: feed.oldestChangeToken(), limit: 9).saved.contains(stored))
        case .askForUpload, .upload:
            let new = Data("another photo".utf8)
            let added = try await RecordStore(database).assets.add(new)
            #expect(try await RecordStore(writer).assets.data(of: added) == new)
            #expect(try await RecordStore(writer).assets.contents(limit: 9).count == 2)
        case .download: #expect(try await RecordStore(database).assets.data(of: #require(asset)) == photo)
        }
        #expect(damaged.withLock { $0 } == 1)
        if call != .modify { #expect(try await writer.record(for: id) == stored) }
    }
}
#endif
