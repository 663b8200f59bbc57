#if PostgreSQL && canImport(Glibc)
import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsPostgreSQL

/// A server with a certificate that the test has made.
@Suite(
    .enabled(if: OwnServer.isPossible, OwnServer.reason),
    .enabled(if: OpenSSLCommand.path != nil, "there is no openssl to make certificates"), .timeLimit(.minutes(60)))
struct PostgreSQLEncryptionTests {
    /// Makes a certificate that has signed itself, `NAME.crt` and `NAME.key`.
    private func makeCertificate(_ name: String, in folder: URL) throws {
        _ = try OpenSSLCommand.run(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(name)",
            "-out", folder.appendingPathComponent(name + ".crt").path,
            "-keyout", folder.appendingPathComponent(name + ".key").path)
    }

    @Test func aServerIsRecognizedByItsCertificate() async throws {
        let folder = try TemporaryFolder()
        for name in ["server", "other"] { try makeCertificate(name, in: folder.url) }
        let files = ["server.crt", "server.key"]
        let settings = ["ssl=on", "ssl_cert_file=../server.crt", "ssl_key_file=../server.key"]
        let server = try OwnServer(settings) { place in
            for name in files {
                let copy = place.appendingPathComponent(name)
                try FileManager.default.copyItem(at: folder.url.appendingPathComponent(name), to: copy)
                try copy.giveToServer(mode: 0o600)
            }
        }
        defer { server.stop() }
        func connection(root: String) -> String {
            server.connection("password=geheim sslmode=verify-ca sslrootcert='\(folder.path(root + ".crt"))'")
        }
        let database = try PostgreSQLRecordDatabase(connection: connection(root: "server"))
        try await database.prepare()
        let record = try Flat.record("A/1", ["n": 1])
        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        #expect(try await database.record(for: record.id)?.fields == record.fields)
        let isEncrypted = try await database.sql("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        #expect(isEncrypted.bool(0, 0) == true)
        await database.close()

        for root in ["other", "missing"] {
            let refused = try PostgreSQLRecordDatabase(connection: connection(root: root))
            let failure = await expectFailure(.notConnected) { _ = try await refused.record(for: record.id) }
            let text = try #require(failure?.description)
            #expect(text.contains("127.0.0.1") && text.contains("\(server.port)"), "\(text)")
            #expect(text.contains(root == "other" ? "certificate verify failed" : "missing.crt"), "\(text)")
            #expect(!text.contains("geheim"))
            await refused.close()
        }
    }
}
#endif
