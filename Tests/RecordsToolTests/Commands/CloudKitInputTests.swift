// With the tests of package traits, which have a stand-in for Apple's module and its servers.
#if canImport(CloudKit) && os(Linux)
import CloudKit
import Foundation
import NestedRecordsHTTP
import TestSupport
import Testing

@testable import NestedRecords
@testable import records

/// The tool with the address of a database in CloudKit.
@Suite struct CloudKitInputTests {
    private static let container = "cloudkit://iCloud.com.example.schools/development"
    private static let zone = "\(container)/private/Schools"

    private let cloud = StandInCloud()
    private let folder: ToolFolder

    init() throws {
        folder = try SchoolFile.folder()
        try folder.write(cloud.webToken(user: "ann") + "\n", to: "token")
    }

    private var variables: [String: String] {
        ["CLOUDKIT_API_TOKEN": cloud.apiToken, "CLOUDKIT_WEB_TOKEN_FILE": folder.path("token")]
    }

    /// Runs a command line as a process of its own would, with the files of the folder.
    private func run(_ line: String, _ variables: [String: String]? = nil) async throws -> ToolRun {
        let context = CloudKitContext(
            variables: variables ?? self.variables, transport: StandInTransport(cloud: cloud))
        let words = line.split(separator: " ").map {
            $0.contains(".records") || $0.contains(".jsonl") ? folder.path(String($0)) : String($0)
        }
        let run = try await CloudKitContext.$current.withValue(context) {
            try await ToolRun.of(Records.program, words)
        }
        let token = try folder.text(of: "token").trimmingCharacters(in: .newlines)
        for secret in [cloud.apiToken, token, "SECRET", "KEY--"] {
            #expect(!run.errors.contains(secret) && !run.output.contains(secret))
        }
        return run
    }

    /// The output of a command that must succeed.
    private func output(_ line: String, _ variables: [String: String]? = nil) async throws -> String {
        let run = try await run(line, variables)
        try #require(run.status == 0 && run.errors == "", "\(line): \(run.errors)")
        return run.output
    }

    @Test func recordsAreCopiedAndReadBack() async throws {
        #expect(try await output("copy school.records \(Self.zone)").hasPrefix("6 records copied from "))
        #expect(try await output("query \(Self.zone) Book --where title~Atlas --ids") == "Book/1\n")
        #expect(try await output("get \(Self.zone) Book/2").contains("Stars"))
        #expect(try await output("ls \(Self.zone)").contains("Student"))
        #expect(try await output("get \(Self.zone) School/hilltop --tree").contains("Student/bo"))
        #expect(try await output("query \(Self.zone) Person --ids") == "Person/ada\n")
        #expect(try await output("verify \(Self.zone) --root School/hilltop") == "6 records, no problems\n")
        #expect(try await output("diff school.records \(Self.zone)") == "")
        #expect(try await output("copy \(Self.zone) back.records").hasPrefix("6 records copied from \(Self.zone) to "))
        #expect(try await output("diff school.records back.records") == "")
        #expect(try await output("diff --exactly school.records back.records") == "")
        // Both zones of one command have the one token.
        let other = "\(Self.container)/private"
        #expect(try await output("copy \(Self.zone) \(other)").hasPrefix("6 records copied from "))
        #expect(try await output("diff \(Self.zone) \(other)") == "")
    }

    @Test func recordsAreEditedAndSynchronized() async throws {
        _ = try await output("sync school.records \(Self.zone)")
        #expect(try await output("set \(Self.zone) Book/2 title=Moons").hasPrefix("~ Book/2"))
        let refused = try await run("delete \(Self.zone) Student/bo --clear --yes")
        #expect(refused.status == 1 && refused.errors.contains("'dangling'"), "\(refused.errors)")
        #expect(try await output("delete \(Self.zone) Student/bo --dangling --yes") == "deleted 1 record\n")
        _ = try await output("sync school.records \(Self.zone)")
        #expect(try await output("get school.records Book/2").contains("Moons"))
        // The record that 'nest' needs is not synchronized.
        #expect(try await run("diff school.records \(Self.zone)").output == "- NestedRecords.Document/school\n")
        let log = try await run("log \(Self.zone)")
        #expect(log.status == 0 && log.output.contains("saved Book/2"))
        let watch = try await run("log \(Self.zone) --since=now")
        #expect(watch.status == 0, "\(watch.errors)")
        let index = try await run("index \(Self.zone) Book title")
        #expect(index.status == 1 && index.errors.contains("keeps no indexes"))
    }

    // MARK: Access

    @Test func eachAnswerReplacesTheTokenInItsFile() async throws {
        let first = try folder.text(of: "token")
        // A link stays one, and the file is closed to others.
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "token")
        var linked = variables
        linked["CLOUDKIT_WEB_TOKEN_FILE"] = folder.path("link")
        _ = try await output("copy school.records \(Self.zone)", linked)
        let second = try folder.text(of: "token")
        #expect(second != first && second.hasSuffix("\n"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == "token")
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("token"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 4)
        // As the address of the page has it.
        let encoded = second.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        try folder.write(encoded, to: "token")
        #expect(try await output("get \(Self.zone) Book/1").contains("Atlas"))
        try folder.write(first, to: "token")
        let old = try await run("ls \(Self.zone)")
        #expect(old.status == 1 && old.errors.contains("CloudKit refused the rights of CLOUDKIT_API_TOKEN and "))
        #expect(try folder.text(of: "token") == first)
    }

    @Test func accessIsNamed() async throws {
        let none = try await run("ls \(Self.zone)", [:])
        #expect(none.status == 1 && none.errors.contains("set CLOUDKIT_API_TOKEN to "))
        for name in variables.keys {
            var some = variables
            some[name] = ""
            #expect(try await run("ls \(Self.zone)", some).errors.contains("set CLOUDKIT_API_TOKEN to "))
        }
        var missing = variables
        missing["CLOUDKIT_WEB_TOKEN_FILE"] = folder.path("missing")
        let file = folder.path("missing")
        let unread = try await run("ls \(Self.zone)", missing)
        #expect(unread == .error("\(file): cannot be read for the web token of a user"))
        for text in ["", "\n", "one two\n", "ä"] {
            try folder.write(text, to: "other")
            missing["CLOUDKIT_WEB_TOKEN_FILE"] = folder.path("other")
            let run = try await run("ls \(Self.zone)", missing)
            #expect(run.errors.contains("other: does not have the web token of a user as its only line"))
        }
        // Nothing was sent.
        _ = try await output("sync school.records \(Self.zone)")
        let wrong = Self.zone.replacing("development", with: "production")
        let refused = try await run("ls \(wrong)")
        #expect(refused.status == 1 && refused.errors.hasPrefix("records: \(wrong): CloudKit refused the rights of "))
    }

    @Test func missingZonesAreNotMadeByReaders() async throws {
        for command in ["ls \(Self.zone)", "set \(Self.zone) Book/1 title=Moons", "log \(Self.zone)"] {
            let run = try await run(command)
            let reason = "has no zone 'Schools'; 'records copy' creates it"
            #expect(run == .error("\(Self.zone): \(reason)"), "\(command)")
        }
    }

    @Test(arguments: [
        "", "iCloud.a", "iCloud.a/development", "iCloud.a/testing/private", "iCloud.a/development/shared",
        "iCloud.a/development/public/Zone", "iCloud.a/development/private/", "iCloud.a/development/private/a/b",
        "u@iCloud.a/development/private", "iCloud.a/development/private?type=A", "iCloud.a/development/private?zone=a",
        "iCloud.a/development/private?target=A.b:C", "iCloud.a/development/private?naming=plain&target=A.b",
        "iCloud.a/development/private?naming=plain&target=A.b:C&target=A.b:D", "iCloud.a/development/private?untyped",
        "iCloud.a/development/private?token=SECRET", "iCloud.a/development/private/%FF",
    ])
    func malformedAddressIsRefused(_ address: String) async throws {
        let run = try await run("ls cloudkit://\(address)")
        #expect(run.status == 1 && run.errors.contains("is not the address of a CloudKit database, such as "))
    }

    @Test func containerHasTheFormOfApple() async throws {
        let run = try await run("ls cloudkit://schools/development/private")
        #expect(run.status == 1 && run.errors.contains("does not begin with 'iCloud.'"))
    }

    // MARK: The public database

    private static let types = "\(container)/public?type=School&type=Person&type=Student&type=Book&type=Book"

    private var keyVariables: [String: String] {
        ["CLOUDKIT_KEY_ID": "key", "CLOUDKIT_PRIVATE_KEY_FILE": folder.path("key.pem")]
    }

    @Test func publicDatabaseNeedsAKey() async throws {
        let url = "\(Self.container)/public"
        let none = try await run("ls \(url)")
        #expect(none.status == 1 && none.errors.contains("needs a server-to-server key; set CLOUDKIT_KEY_ID to "))
        let missing = try await run("ls \(url)", keyVariables)
        #if OpenSSL
        #expect(missing == .error("\(folder.path("key.pem")): cannot be read for a server-to-server key"))
        try folder.write("SECRET", to: "key.pem")
        #expect(try await run("ls \(url)", keyVariables).errors.hasPrefix("records: \(folder.path("key.pem")): "))
        try makeKey()
        cloud.web.verify = { _, _, _ in false }
        let refused = try await run("get \(url) Book/1", keyVariables)
        #expect(refused.status == 1 && refused.errors.contains("CloudKit refused the rights of CLOUDKIT_KEY_ID and "))
        #else
        #expect(missing.errors.contains("build it with '--traits OpenSSL'"))
        #endif
    }

    #if OpenSSL
    private func makeKey() throws {
        _ = try OpenSSLCommand.makeKey("EC", "ec_paramgen_curve:P-256", at: folder.path("key.pem"))
        cloud.web.verify = { _, _, id in id == "key" }
        cloud.web.sha256 = { data in
            var hash = SHA256()
            data.withBytesInPlace { hash.add($0) }
            return Data(hash.bytes)
        }
    }

    @Test func publicDatabaseIsReadAndWritten() async throws {
        try makeKey()
        let copied = try await output("copy school.records \(Self.types)", keyVariables)
        #expect(copied.hasPrefix("6 records copied from "))
        #expect(try await output("diff school.records \(Self.types)", keyVariables) == "")
        let url = "\(Self.container)/public"
        let found = try await output("query \(url) Book --where title~Atlas --ids", keyVariables)
        #expect(found == "Book/1\n")
        let all = try await run("ls \(url)", keyVariables)
        #expect(all.status == 1 && all.errors.contains("\(url): does not list its types"), "\(all.errors)")
    }

    @Test func namesAreThoseOfAnApp() async throws {
        try makeKey()
        let fields = [
            "School.headOfSchool:Person", "School.students:Student", "School.books:Book", "Student.reads:Book",
        ]
        let names = "&naming=plain&untyped=Book.languages" + fields.map { "&target=\($0)" }.joined()
        _ = try await output("copy school.records \(Self.types)\(names)", keyVariables)
        #expect(try await output("diff school.records \(Self.types)\(names)", keyVariables) == "")
        let database = cloud.container(user: "ann", identifier: "iCloud.com.example.schools").publicCloudDatabase
        #expect(try await database.record(for: CKRecord.ID(recordName: "bo")).recordType == "Student")
        // A zone needs types in names.
        let run = try await run("ls \(Self.zone)?naming=plain")
        #expect(run.status == 1 && run.errors.contains("plain names"), "\(run.errors)")
    }
    #endif
}

/// Passes requests to the servers of the stand-in.
private struct StandInTransport: RecordHTTPTransport {
    let cloud: StandInCloud

    func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
        let path = request.path + (request.query.isEmpty ? "" : "?" + request.query)
        let body = Data(try await request.body.bytes() ?? [])
        let sent = StandInRequest(method: request.method, path: path, headers: request.headers.values, body: body)
        guard let answer = cloud.respond(to: sent) else { throw RecordDatabaseError(.connectionLost) }
        return RecordHTTPResponse(
            status: answer.status, headers: RecordHTTPHeaders(answer.headers.map { ($0.key, $0.value) }),
            body: RecordHTTPBody(Array(answer.body)))
    }
}
#endif
