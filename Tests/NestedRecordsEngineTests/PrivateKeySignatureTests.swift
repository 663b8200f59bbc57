#if canImport(Security) || OpenSSL
import Foundation
import NestedRecords
import NestedRecordsHTTP
import TestSupport
import Testing

@testable import NestedRecordsFirestore

/// Signatures of the system's library, verified by the program `openssl`.
@Suite(.enabled(if: OpenSSLCommand.path != nil, "there is no openssl to make keys"))
struct PrivateKeySignatureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ data: Data, _ name: String) throws -> String {
        try data.write(to: URL(fileURLWithPath: folder.path(name)))
        return folder.path(name)
    }

    /// Whether a signature is one of bytes with a key in a file.
    private func verifies(_ signature: Data, of bytes: Data, key file: String) throws -> Bool {
        let verified = try write(OpenSSLCommand.run("pkey", "-in", folder.path(file), "-pubout"), "public.pem")
        let (signature, bytes) = (try write(signature, "signature"), try write(bytes, "bytes"))
        let output = try? OpenSSLCommand.run("dgst", "-sha256", "-verify", verified, "-signature", signature, bytes)
        return output.map { String(decoding: $0, as: UTF8.self) } == "Verified OK\n"
    }

    @Test(arguments: [("RSA", "rsa_keygen_bits:2048"), ("EC", "ec_paramgen_curve:P-256")])
    func signatureIsVerified(_ algorithm: String, _ option: String) throws {
        let text = try OpenSSLCommand.makeKey(algorithm, option, at: folder.path("key.pem"))
        let traditional = try OpenSSLCommand.run("pkey", "-in", folder.path("key.pem"), "-traditional")
        for pem in [text, String(decoding: traditional, as: UTF8.self)] {
            for bytes in [Data(), Data("hello".utf8), Data(repeating: 7, count: 100_000)] {
                let signature = try PrivateKeySignature.signature(of: bytes, key: pem)
                #expect(try verifies(signature, of: bytes, key: "key.pem"))
                #expect(try !verifies(signature, of: bytes + [0], key: "key.pem"))
            }
        }
    }

    @Test func unusableKeyDoesNotSign() async throws {
        _ = try OpenSSLCommand.makeKey("RSA", "rsa_keygen_bits:2048", at: folder.path("key.pem"))
        let encrypted = try OpenSSLCommand.run(
            "pkey", "-in", folder.path("key.pem"), "-aes256", "-passout", "pass:geheim")
        // A version and eight numbers, all of them zero.
        let zeros = Data([0x30, 27] + (0..<9).flatMap { _ in [2, 1, 0] as [UInt8] }).base64EncodedString()
        let forms = [
            String(decoding: encrypted, as: UTF8.self), "",
            "-----BEGIN RSA PRIVATE KEY-----\n\(zeros)\n-----END RSA PRIVATE KEY-----\n",
        ]
        for pem in forms {
            let code = await databaseErrorCode { _ = try PrivateKeySignature.signature(of: Data(), key: pem) }
            #expect(code == .invalidOptions)
        }
    }

    private struct TokenServer: RecordHTTPTransport {
        let bodies = Locked<[String]>([])

        func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
            let body = String(decoding: try await request.body.bytes() ?? [], as: UTF8.self)
            bodies.withLock { $0.append(body) }
            let text = #"{"access_token":"token","expires_in":3600,"token_type":"Bearer"}"#
            return RecordHTTPResponse(status: 200, body: RecordHTTPBody(Array(text.utf8)))
        }
    }

    private func file(key: String) throws -> Data {
        try JSONSerialization.data(withJSONObject: [
            "type": "service_account", "private_key_id": "k1", "private_key": key, "client_email": "a@b.c",
            "token_uri": "https://oauth2.googleapis.com/token",
        ])
    }

    @Test func serviceAccountSignsItsRequest() async throws {
        let key = try OpenSSLCommand.makeKey("RSA", "rsa_keygen_bits:2048", at: folder.path("key.pem"))
        let server = TokenServer()
        let access = try FirestoreAccess.serviceAccount(ServiceAccount(file(key: key)), server)
        #expect(try await access.token(nil) == "token")
        let body = try #require(server.bodies.withLock { $0.first })
        let parts = try #require(body.split(separator: "assertion=").last).split(separator: ".")
        #expect(parts.count == 3)
        var signature = try #require(parts.last).replacing("-", with: "+").replacing("_", with: "/")
        while signature.utf8.count % 4 != 0 { signature += "=" }
        let bytes = try #require(Data(base64Encoded: String(signature)))
        #expect(try verifies(bytes, of: Data(parts.prefix(2).joined(separator: ".").utf8), key: "key.pem"))
        let google = try FirestoreAccess.serviceAccount(file(key: key))
        #expect(google.description == "Firestore at firestore.googleapis.com")
    }

    @Test func serviceAccountWithADamagedKeyIsRefused() async throws {
        let file = try file(key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
        #expect(await databaseErrorCode { _ = try FirestoreAccess.serviceAccount(file) } == .invalidOptions)
    }
}
#endif
