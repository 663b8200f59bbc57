import Foundation
import NestedRecords
import NestedRecordsHTTP

/// The key of a service account, and the request for a token that is signed with it.
///
/// https://developers.google.com/identity/protocols/oauth2/service-account#httprest
struct ServiceAccount: Sendable {
    private let email: String
    private let keyID: String?
    private let tokenAddress: String
    private let path: String

    /// The PEM text of the private key.
    let key: String

    /// The address of the server that gives tokens, without the path.
    let server: URL

    init(_ file: Data) throws {
        guard let json = try? JSONValue(reading: Array(file)), let email = json["client_email"]?.text,
            let key = json["private_key"]?.text, let address = json["token_uri"]?.text, let url = URL(string: address),
            url.scheme == "https", let host = url.host, let server = URL(string: "https://\(host)")
        else {
            throw RecordDatabaseError(.invalidOptions, reason: "the file is not that of a service account's key")
        }
        (self.email, self.key, tokenAddress) = (email, key, address)
        (self.server, path) = (server, url.path)
        keyID = json["private_key_id"]?.text
    }

    func request(
        at date: Date, sign: @Sendable (_ bytes: Data, _ key: String) async throws -> Data
    ) async throws -> TokenRequest {
        let seconds = Int(date.timeIntervalSince1970)
        let header = JSONValue.object(["alg": "RS256".json, "typ": "JWT".json, "kid": keyID?.json])
        let claims = JSONValue.object([
            "iss": email.json, "scope": "https://www.googleapis.com/auth/datastore".json, "aud": tokenAddress.json,
            "iat": .integer(seconds), "exp": .integer(seconds + 3_600),
        ])
        let signed = Self.text(Data(header.bytes)) + "." + Self.text(Data(claims.bytes))
        let token = signed + "." + Self.text(try await sign(Data(signed.utf8), key))
        let body = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + token
        return TokenRequest(
            request: RecordHTTPRequest(
                method: "POST", path: path, headers: ["content-type": "application/x-www-form-urlencoded"],
                body: RecordHTTPBody(Array(body.utf8))))
    }

    /// The base64 form of RFC 4648, section 5, without padding.
    private static func text(_ data: Data) -> String {
        let scalars = data.base64EncodedString().unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            scalar == "+" ? "-" : scalar == "/" ? "_" : scalar == "=" ? nil : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
