#if canImport(CloudKit) && os(Linux)
import CloudKit
import Foundation
import HTTPTestSupport
import NestedRecordsFile
import NestedRecordsHTTP
import NestedRecordsSync
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

struct WebServicesTests {
    private let cloud = StandInCloud()

    private func school(_ name: String, _ fields: Record.Fields = [:]) throws -> Record {
        try Record(id: Record.ID(type: "School", name: name), fields: fields)
    }

    // MARK: Access

    @Test func eachRequestHasTheTokenOfTheAnswerBefore() async throws {
        let kept = Lock([String]())
        let access = CloudKitAccess.user(apiToken: cloud.apiToken, webAuthToken: cloud.webToken(user: "ann")) { token in
            kept.withLock { $0.append(token) }
        }
        let database = try cloud.webDatabase(access)
        try await database.prepare()
        // Also requests at the same time are sent one after the other.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask { try await database.commit(RecordBatch(saving: [try school("\(number)")])) }
            }
            try await group.waitForAll()
        }
        #expect(kept.withLock { Set($0).count } == 12)
        let last = try #require(kept.withLock { $0.last })
        let next = try cloud.webDatabase(.user(apiToken: cloud.apiToken, webAuthToken: last) { _ in })
        #expect(try await next.record(for: school("1").id) != nil)
    }

    /// The answer of a request that is cancelled has the next token too.
    @Test func cancelledRequestsKeepTheNextToken() async throws {
        let transport = SlowTransport(base: WebTransport(cloud: cloud))
        let database = try CloudKitRecordDatabase(
            container: StandInCloud.id, environment: .development, access: cloud.access(), transport: transport,
            options: .quick)
        try await database.prepare()
        for _ in 0..<10 {
            let task = Task { try await database.record(for: school("1").id) }
            try await Task.sleep(for: .milliseconds(2))
            task.cancel()
            _ = await task.result
        }
        #expect(try await database.record(for: school("1").id) == nil)
    }

    private struct SlowTransport: RecordHTTPTransport {
        let base: WebTransport

        func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
            let response = try await base.send(request, deadline: deadline)
            try await Task.sleep(for: .milliseconds(5))
            return response
        }
    }

    @Test func errorsHaveNoTokens() async throws {
        let access = CloudKitAccess.user(apiToken: "SECRET-API", webAuthToken: "SECRET-WEB") { _ in }
        let closed = try #require(URL(string: "http://127.0.0.1:9"))
        for transport in [WebTransport(cloud: cloud) as any RecordHTTPTransport, URLSessionTransport(closed)] {
            let database = try CloudKitRecordDatabase(
                container: StandInCloud.id, environment: .development, access: access, transport: transport)
            var options = database.options
            options.retries = nil
            do {
                try await database.prepare()
                Issue.record("there is no error")
            } catch {
                #expect(!"\(error)".contains("SECRET") && !String(reflecting: error).contains("SECRET"))
            }
            #expect(!"\(database) \(access)".contains("SECRET"))
        }
    }

    @Test func requestsAtTheSameTimeCorrectTheClock() async throws {
        cloud.web.verify = { _, _, _ in true }
        cloud.web.sha256 = { Data(Self.hash($0)) }
        cloud.clock = { Date(timeIntervalSinceNow: -7_200) }
        let access = CloudKitAccess.serverKey(id: "key") { bytes in
            try await Task.sleep(for: .milliseconds(5))
            return bytes
        }
        let database = try cloud.webDatabase(access)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try await database.commit(RecordBatch(saving: [try school("\(number)")])) }
            }
            try await group.waitForAll()
        }
    }

    @Test func plainNamesInZonesAreRefused() throws {
        var options = CloudKitRecordDatabase.Options()
        options.naming = .plain(targets: [:])
        let error = #expect(throws: RecordDatabaseError.self) { try cloud.webDatabase(options: options) }
        #expect(error?.code == .invalidOptions)
        let article = try Article("NestedRecordsCloudKit/NestedRecordsCloudKit.docc/RecordsInCloudKit.md")
        #expect(article.text.contains("are not stated, so the naming `plain` is refused in a zone"))
    }

    /// A field that an app has encrypted is a value that records lack: a save neither sends nor removes it.
    @Test func encryptedFieldsStayAsTheyAre() async throws {
        let article = try Article("NestedRecordsCloudKit/NestedRecordsCloudKit.docc/RecordsInCloudKit.md")
        #expect(article.text.contains("No field is encrypted by this library"))
        let text = """
            {"recordName": "1:School", "recordType": "School", "recordChangeTag": "1", "fields":
             {"a": {"type": "INT64", "value": 1}, "secret": {"type": "ENCRYPTED_BYTES", "value": "AAAA"}}}
            """
        let base = try #require(PortRecord(JSONValue(reading: Array(text.utf8))))
        let port = try cloud.webDatabase().port
        let mapping = RecordMapping.typed
        let content = try #require(try mapping.decode(base.fields, base.system))
        #expect(content.record.fields == ["a": 1, "secret": ["$cloudkit": "other"]])
        let stored = [content.record.id: StoredRecord(base: base, content: content, id: content.record.id)]
        var changed = content.record
        changed["a"] = 2
        let batch = RecordBatch(saving: [changed])
        let save = try #require(try BatchPlan(batch, over: stored, BatchMarks(batch), mapping, port).saves.first)
        #expect(save.removed.isEmpty && save.set.keys.sorted() == ["a", "nr_rest"])
    }

    @Test func answersAreFoundByTheirNames() async throws {
        let database = try cloud.webDatabase { answer, _ in
            guard var json = try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any],
                let records = json["records"] as? [Any]
            else { return answer }
            json["records"] = Array(records.reversed())
            var answer = answer
            answer.body = (try? JSONSerialization.data(withJSONObject: json)) ?? Data()
            return answer
        }
        try await database.prepare()
        let schools = try ["1", "2", "3"].map { try school($0, ["name": .string($0)]) }
        try await database.commit(RecordBatch(saving: schools))
        let found = try await database.records(for: schools.map(\.id))
        #expect(Set(found.map(\.fields)) == Set(schools.map(\.fields)) && found.count == 3)
    }

    @Test func oldTokensAreErrors() async throws {
        let token = cloud.webToken(user: "ann")
        for isFirst in [true, false] {
            let database = try cloud.webDatabase(.user(apiToken: cloud.apiToken, webAuthToken: token) { _ in })
            if isFirst {
                try await database.prepare()
            } else {
                let error = await #expect(throws: RecordDatabaseError.self) { try await database.prepare() }
                #expect(error?.code == .notSignedIn && error?.description.contains(token) == false)
            }
        }
    }

    @Test func aWrongClockIsCorrectedByTheDateOfTheAnswer() async throws {
        cloud.web.verify = { _, _, _ in true }
        cloud.web.sha256 = { Data(Self.hash($0)) }
        cloud.clock = { Date(timeIntervalSinceNow: 7_200) }
        let signatures = Lock(0)
        let access = CloudKitAccess.serverKey(id: "key") { bytes in
            signatures.withLock { $0 += 1 }
            return bytes
        }
        var options = CloudKitRecordDatabase.Options.quick
        options.types = ["School"]
        let database = try cloud.webDatabase(access, options: options)
        try await database.commit(RecordBatch(saving: [try school("1")]))
        #expect(signatures.withLock { $0 } == 2)
        try await database.commit(RecordBatch(saving: [try school("2")]))
        #expect(signatures.withLock { $0 } == 3)
        // A key that is refused is not tried again and again.
        cloud.web.verify = { _, _, _ in false }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [try school("3")]))
        }
        #expect(error?.code == .notSignedIn && signatures.withLock { $0 } == 4)
    }

    static func hash(_ data: Data) -> [UInt8] {
        var hash = SHA256()
        data.withBytesInPlace { hash.add($0) }
        return hash.bytes
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"), ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("", nil),
        ("Sun, 06 Nov 1994 08:49:37", nil), ("Sun, 06 Xyz 1994 08:49:37 GMT", nil),
        ("Sun, 99 Nov 1994 08:49:37 GMT", nil),
    ])
    func datesOfHeadersAreRead(_ text: String, _ expected: String?) {
        #expect(KeyCredentials.date(ofHeader: text)?.recordString == expected)
    }

    #if OpenSSL
    /// The signature and the hash in it, as OpenSSL's own command sees them, after the clock was corrected.
    @Test func signaturesAreThoseOfTheKey() async throws {
        let folder = try TemporaryFolder()
        let pem = try OpenSSLCommand.makeKey("EC", "ec_paramgen_curve:P-256", at: folder.path("key.pem"))
        let seen = Lock([(message: Data, signature: Data)]())
        cloud.web.verify = { message, signature, key in
            seen.withLock { $0.append((message, signature)) }
            return key == "key-id"
        }
        cloud.web.sha256 = { Data(Self.hash($0)) }
        let clock = Date(timeIntervalSinceNow: 7_200)
        cloud.clock = { clock }
        let database = try cloud.webDatabase(.serverKey(id: "key-id", pem: pem))
        try await database.commit(RecordBatch(saving: [try school("1")]))
        let (message, signature) = try #require(seen.withLock { $0.first })
        let parts = String(decoding: message, as: UTF8.self).components(separatedBy: "Z:")
        let date = try #require(Date(recordString: parts[0] + "Z"))
        #expect(abs(date.timeIntervalSince(clock)) < 60)
        #expect(parts.last?.hasSuffix(":/database/1/\(StandInCloud.id)/development/public/records/modify") == true)
        let key = try OpenSSLCommand.run("pkey", "-in", folder.path("key.pem"), "-pubout")
        for (name, data) in [("public", key), ("message", message), ("signature", signature)] {
            try data.write(to: URL(fileURLWithPath: folder.path(name)))
        }
        let output = try OpenSSLCommand.run(
            "dgst", "-sha256", "-verify", folder.path("public"), "-signature", folder.path("signature"),
            folder.path("message"))
        #expect(String(decoding: output, as: UTF8.self) == "Verified OK\n")
        let rsa = try OpenSSLCommand.makeKey("RSA", "rsa_keygen_bits:2048", at: folder.path("rsa.pem"))
        for other in ["other", rsa] {
            #expect(throws: RecordDatabaseError.self) { try CloudKitAccess.serverKey(id: "key-id", pem: other) }
        }
    }
    #endif

    @Test func containersHaveTheFormOfApple() {
        for container in ["", "schools", "iCloud.a/b", "iCloud.a b", "iCloud.ä"] {
            let error = #expect(throws: RecordDatabaseError.self) {
                try CloudKitRecordDatabase(container: container, environment: .development, access: cloud.access())
            }
            #expect(error?.code == .invalidOptions)
        }
    }

    // MARK: One container

    /// What an app saves, the service reads, and the other way round, to the last bit.
    @Test func appsAndServicesShareRecords() async throws {
        let app = try await database(cloud)
        let service = try cloud.webDatabase()
        var random = RandomRecord(seed: Sweep.seed)
        for (number, writer) in [app, service, app, service].enumerated() {
            for round in 0..<25 {
                var fields = try random.record().fields
                // A name of a field has one type for ever.
                fields = Record.Fields(fields.map { ("f\(number)_\(round)_\($0.name.utf8.count)", $0.value) })
                let record = try school("\(number) \(round)", fields)
                let metadata = try await writer.commit(RecordBatch(saving: [record]))
                let saved = record.saved(as: try #require(metadata[record.id]))
                for reader in [app, service] {
                    let read = try #require(try await reader.record(for: record.id))
                    #expect(read.isIdentical(to: saved), "\(number) \(round)")
                }
            }
        }
    }

    /// A record file on Linux synchronizes with the zone into which an app writes.
    @Test func recordFileSynchronizesWithTheZoneOfAnApp() async throws {
        let app = try await database(cloud)
        let folder = try TemporaryFolder()
        let local = try FileRecordDatabase(path: folder.path())
        let remote = RetriedRecordDatabase(
            try cloud.webDatabase(), RetryPolicy(attempts: 100, repeatsTransientErrors: true))
        let sync = try RecordSync(local, with: remote, named: "cloud")
        let faults = RandomFaults(seed: Sweep.seed &+ 11)
        cloud.fault = { call in call.name.rawValue.contains("/") ? faults.fault(of: call) : nil }
        var random = SplitMix64(seed: Sweep.seed)
        for round in 0..<40 {
            let id = try school("\(Int.random(in: 0..<8, using: &random))").id
            for (side, database) in [("app", app as any RecordDatabase), ("file", local)] {
                if var record = try await database.record(for: id) {
                    if random.chance(oneIn: 5) {
                        try await database.commit(RecordBatch(deletingAnyVersionOf: [id]))
                        continue
                    }
                    record[side] = .int(Int64(round))
                    try await database.commit(RecordBatch(saving: [record]))
                } else {
                    try await database.commit(
                        RecordBatch(saving: [try Record(id: id, fields: [side: .int(Int64(round))])]))
                }
            }
            try await sync.synchronizeInSpiteOfFaults()
        }
        try await sync.synchronizeInSpiteOfFaults()
        var contents: [[Record.ID: Record.Fields]] = []
        for database in [app as any RecordDatabase, local] {
            var found: [Record.ID: Record.Fields] = [:]
            for try await record in database.records(ofType: "School") { found[record.id] = record.fields }
            contents.append(found)
        }
        #expect(contents[0] == contents[1] && !contents[0].isEmpty)
    }

    /// Both see the same versions of a record with a file of the app.
    @Test func appsAndServicesSeeTheSameVersions() async throws {
        let app = try await database(cloud)
        let service = try cloud.webDatabase()
        try await app.commit(RecordBatch(saving: [try school("1", ["a": 1])]))
        let folder = try TemporaryFolder()
        try Data("photo".utf8).write(to: URL(fileURLWithPath: folder.path()))
        let zone = CKRecordZone.ID(zoneName: "NestedRecords", ownerName: CKCurrentUserDefaultName)
        let ours = cloud.container(user: "ann").privateCloudDatabase
        let record = try await ours.record(for: CKRecord.ID(recordName: "1:School", zoneID: zone))
        record.setObject(CKAsset(fileURL: URL(fileURLWithPath: folder.path())), forKey: "photo")
        _ = try await ours.save(record)
        for writer in [app, service] {
            var school = try #require(try await writer.record(for: school("1").id))
            #expect(school["photo"] == ["$cloudkit": "asset"])
            school["a"] = 2
            try await writer.commit(RecordBatch(saving: [school]))
            let read = try await [app.record(for: school.id), service.record(for: school.id)]
            #expect(read[0] == read[1])
        }
        let asset =
            try await ours.record(for: CKRecord.ID(recordName: "1:School", zoneID: zone))
            .object(forKey: "photo") as? CKAsset
        #expect(try asset?.fileURL.map { try Data(contentsOf: $0) } == Data("photo".utf8))
    }

    // MARK: Answers

    @Test func errorsInBodiesHaveTheirTimes() async throws {
        let database = try cloud.webDatabase()
        try await database.prepare()
        cloud.fault = { _ in .fails(.requestRateLimited, retryAfter: 3) }
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.record(for: school("1").id) }
        #expect(error?.code == .tooManyRequests && error?.retryAfter == .seconds(3))
    }

    @Test func listsOfThePublicDatabaseHaveSeveralPages() async throws {
        cloud.web.verify = { _, _, _ in true }
        cloud.web.sha256 = { Data(Self.hash($0)) }
        cloud.queryPageLimit = 2
        var options = CloudKitRecordDatabase.Options.quick
        options.types = ["Person", "School"]
        let database = try cloud.webDatabase(.serverKey(id: "key") { $0 }, options: options)
        for number in 0..<5 { try await database.commit(RecordBatch(saving: [try school("\(number)")])) }
        cloud.resetCounts()
        var found: [String] = []
        for try await record in database.records(ofType: nil) { found.append(record.id.name) }
        #expect(found.sorted() == (0..<5).map { "\($0)" })
        // One for the type without records, and three pages.
        #expect(cloud.counts.values.reduce(0, +) == 4)
    }

    @Test func missingZonesAreErrors() async throws {
        let database = try cloud.webDatabase()
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [try school("1")]))
        }
        #expect(error?.code == .notPrepared)
    }

    @Test func expiredTokensArePurged() async throws {
        let database = try cloud.webDatabase()
        try await database.prepare()
        let token = try #require(try await database.feed?.changeToken())
        cloud.expireTokens()
        do {
            _ = try await database.feed?.changes(since: token, limit: 9)
            Issue.record("the token was taken")
        } catch let error as RecordDatabaseError {
            #expect(error.expiry == .purged)
        }
    }

    @Test func deletionsRequireAVersionWithOneRequest() async throws {
        let database = try cloud.webDatabase()
        try await database.prepare()
        let metadata = try await database.commit(RecordBatch(saving: [try school("1")]))
        let saved = try school("1").saved(as: try #require(metadata.values.first))
        var batch = RecordBatch()
        batch.deletions = [RecordBatch.VersionedID(saved.id, version: RecordBatch.Version(of: saved))]
        cloud.resetCounts()
        try await database.commit(batch)
        #expect(cloud.counts.values.reduce(0, +) == 2)
        #expect(try await database.record(for: saved.id) == nil)
    }

    /// Answers of which something is missing, of another form, or by a proxy: errors, and nothing is lost.
    @Test(arguments: 0..<Sweep.count(12, whole: 200))
    func hostileAnswersAreErrors(_ number: Int) async throws {
        var random = SplitMix64(seed: Sweep.seed &+ UInt64(number))
        let seed = random.next()
        let isHostile = Lock(false)
        var options = CloudKitRecordDatabase.Options.quick
        options.retries = RetryPolicy(attempts: 4, repeatsTransientErrors: true)
        let database = try cloud.webDatabase(options: options) { answer, _ in
            guard isHostile.withLock({ $0 }) else { return answer }
            var random = SplitMix64(seed: seed)
            return Self.damaged(answer, &random)
        }
        try await database.prepare()
        let record = try school("1", ["a": 1, "b": "text", "c": .double(0.5), "d": .date(Date()), "e": ["x", "y"]])
        try await database.commit(RecordBatch(saving: [record]))
        let stored = try #require(try await database.record(for: record.id))
        isHostile.withLock { $0 = true }
        var changed = stored
        changed["a"] = 2
        let outcome: Result<[Record.ID: Record.Metadata], any Error>
        do { outcome = .success(try await database.commit(RecordBatch(saving: [changed]))) } catch {
            outcome = .failure(error)
        }
        let read = try? await database.record(for: record.id)
        isHostile.withLock { $0 = false }
        let found = try #require(try await database.record(for: record.id))
        // The web token of a lost answer is lost with it, so that errors of access are possible too.
        switch outcome {
        case .success(let metadata): #expect(found.metadata == metadata[record.id])
        case .failure(let error):
            let code = (error as? RecordDatabaseError)?.code
            #expect(code != nil || error is RecordError, "\(error)")
            if code != .unknownOutcome, code != .conflict { #expect(found == stored, "\(error)") }
        }
        if let read { #expect(read.id == record.id) }
    }

    private static func damaged(_ answer: StandInResponse, _ random: inout SplitMix64) -> StandInResponse {
        var answer = answer
        let text = String(decoding: answer.body, as: UTF8.self)
        switch random.next() % 8 {
        case 0: answer.body = Data("<html>Sign in to the network</html>".utf8)
        case 1: answer.body = answer.body.prefix(Int(random.next() % UInt64(max(1, answer.body.count))))
        case 2: answer.body = Data("{}".utf8)
        case 3: answer.body = Data("[]".utf8)
        case 4: answer.body = Data(text.replacingOccurrences(of: "\"records\"", with: "\"record\"").utf8)
        case 5: (answer.status, answer.body) = (502, Data("Bad gateway".utf8))
        case 6: answer.body = Data(text.replacingOccurrences(of: "\"recordName\"", with: "\"name\"").utf8)
        default: answer.body = Data(text.replacingOccurrences(of: ":{", with: ":[{").utf8)
        }
        return answer
    }

    /// Also the place for a name in the address of a file to read, which no page describes.
    @Test func addressesOfFilesAreUsedAsTheyAre() async throws {
        let server = try SocketServer { request in
            let text = "\(request.method) \(request.path)"
            return RecordHTTPResponse(status: 200, body: RecordHTTPBody(Array(text.utf8)))
        }
        defer { server.close() }
        let url = try #require(URL(string: "http://\(server.host)/B/x/${f}?o=1%2B2"))
        let request = RecordHTTPRequest(method: "GET", path: "")
        let answer = try await URLSessionTransport(url).send(request, deadline: .seconds(60)).body.bytes()
        #expect(String(decoding: answer ?? [], as: UTF8.self) == "GET /B/x/$%7Bf%7D?o=1%2B2")
    }

    /// No token goes to an address that is not one of a server of files.
    @Test(arguments: ["http://files.example/1", "file:///etc/passwd", "", "https:", "data:,a"])
    func filesHaveEncryptedConnections(_ address: String) async throws {
        let exchange = WebExchange(
            transport: WebTransport(cloud: cloud), credentials: cloud.access().credentials, path: "", deadline: .zero,
            files: { _ in
                Issue.record("a request was sent")
                return WebTransport(cloud: StandInCloud())
            })
        await #expect(throws: CloudKitFailure.self) { _ = try await exchange.sendFile(nil, to: address) }
    }

    @Test func unknownFormsOfValuesAreKeptApart() throws {
        let json = try JSONValue(
            reading: Array(
                #"{"recordName":"1:School","recordType":"School","recordChangeTag":"1","fields":{"a":{"type":"NEW","value":[]},"#
                    .utf8)
                + Array(
                    #""b":{"type":"INT64","value":"9223372036854775807"},"c":{"value":1},"d":{"type":"BYTES","value":"%"},"#
                        .utf8)
                + Array(#""e":{"type":"STRING_LIST","value":["a"]},"f":{"type":"INT64","value":true}}}"#.utf8))
        let record = try #require(PortRecord(json))
        #expect(
            record.fields.values == [
                "a": .foreign(.other), "b": .integer(.max), "c": .foreign(.other), "d": .foreign(.other),
                "e": .list([.string("a")]), "f": .foreign(.other),
            ])
    }
}
#endif
