import Foundation
import NestedRecordsHTTP
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords
@testable import NestedRecordsFirestore

struct AccessTests {
    /// Answers each request with the next token.
    private struct TokenServer: RecordHTTPTransport {
        let lifetime: Int
        let requests = Lock<[RecordHTTPRequest]>([])

        func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
            let count = requests.withLock {
                $0.append(request)
                return $0.count
            }
            // https://cloud.google.com/docs/authentication/rest#metadata-server
            let text = #"{"access_token":"token\#(count)","expires_in":\#(lifetime),"token_type":"Bearer"}"#
            return RecordHTTPResponse(status: 200, body: RecordHTTPBody(Array(text.utf8)))
        }
    }

    @Test(arguments: ["1e300", "-1e300", "404.5", "500", "\"x\""])
    func errorWithAnyCodeIsAnError(_ code: String) throws {
        let answer = try JSONValue(reading: Array(#"{"error":{"code":\#(code),"message":"m"}}"#.utf8))
        #expect(try #require(FirestoreFailure(answer)).status == "INTERNAL")
    }

    @Test func missingIndexIsAHintWithItsPage() {
        // https://firebase.google.com/docs/firestore/query-data/indexing#create_a_missing_index_through_an_error_message
        let page = "https://console.firebase.google.com/project/p/firestore/indexes?create_composite=a"
        let message = "The query requires an index. You can create it here: \(page)"
        let error = FirestoreFailure(status: "FAILED_PRECONDITION", message: message).error
        #expect(error.code == .refused && error.hint == "the query needs an index, which this page makes: \(page)")
    }

    @Test func tokenOfTheMachineIsKeptUntilItExpiresOrIsRefused() async throws {
        let server = TokenServer(lifetime: 3_600)
        let access = try FirestoreAccess.metadataServer(server)
        #expect(try await access.token(nil) == "token1")
        #expect(try await access.token(nil) == "token1")
        #expect(try await access.token("token1") == "token2")
        #expect(server.requests.withLock { $0[0].headers["metadata-flavor"] } == "Google")
        let short = try FirestoreAccess.metadataServer(TokenServer(lifetime: 59))
        #expect(try await short.token(nil) == "token1")
        #expect(try await short.token(nil) == "token2")
    }

    @Test func requestOfAServiceAccountIsSigned() async throws {
        // https://developers.google.com/identity/protocols/oauth2/service-account#httprest
        let file = """
            {"type": "service_account", "private_key_id": "k1", "private_key": "PEM", "client_email": "a@b.c",
             "token_uri": "https://oauth2.googleapis.com/token"}
            """
        let server = TokenServer(lifetime: 3_600)
        let signed = Lock<(Data, String)?>(nil)
        let access = try FirestoreAccess.serviceAccount(ServiceAccount(Data(file.utf8)), server) { bytes, key in
            signed.withLock { $0 = (bytes, key) }
            return Data([0xFB, 0xFF])
        }
        #expect(try await access.token(nil) == "token1")
        let request = try #require(server.requests.withLock { $0.first })
        let body = String(decoding: try #require(try await request.body.bytes()), as: UTF8.self)
        let assertion = try #require(body.split(separator: "assertion=").last)
        #expect(request.path == "/token" && assertion.hasSuffix(".-_8"))
        let (bytes, key) = try #require(signed.withLock { $0 })
        #expect(key == "PEM" && assertion.hasPrefix(String(decoding: bytes, as: UTF8.self)))
        var claims = String(decoding: bytes, as: UTF8.self).split(separator: ".")[1]
        while claims.count % 4 != 0 { claims += "=" }
        let text = claims.replacing("-", with: "+").replacing("_", with: "/")
        let json = try StandInJSON([UInt8](try #require(Data(base64Encoded: String(text)))))
        #expect(json["iss"]?.text == "a@b.c" && json["aud"]?.text == "https://oauth2.googleapis.com/token")
        #expect(json["scope"]?.text == "https://www.googleapis.com/auth/datastore")
        #expect((json["exp"]?.number ?? 0) - (json["iat"]?.number ?? 0) == 3_600)
    }

    @Test func fileOfAnotherFormIsRefused() async throws {
        let code = await databaseErrorCode {
            _ = try FirestoreAccess.serviceAccount(Data(#"{"private_key": "PEM"}"#.utf8)) { bytes, _ in bytes }
        }
        #expect(code == .invalidOptions)
    }
}
