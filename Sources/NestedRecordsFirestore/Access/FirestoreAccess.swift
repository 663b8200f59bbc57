public import Foundation
import NestedRecords
import NestedRecordsHTTP

/// How a ``FirestoreRecordDatabase`` reaches Firestore, and with whose rights.
public struct FirestoreAccess: Sendable {
    let address: URL
    let token: @Sendable (_ refused: String?) async throws -> String

    private static let google = URL(string: "https://firestore.googleapis.com")

    private init(_ address: URL?, token: @escaping @Sendable (_ refused: String?) async throws -> String) throws {
        guard let address, address.host != nil else {
            throw RecordDatabaseError(.invalidOptions, reason: "the address of Firestore is not one of a host")
        }
        (self.address, self.token) = (address, token)
    }

    /// Google's servers, with tokens of your own: an ID token of Firebase Authentication, to which security rules apply, or
    /// an access token of Google Cloud.
    ///
    /// - Parameter token: Returns a token that is valid for a while. The argument is nil, or the token that was just refused.
    /// - Returns: The access.
    /// - Throws: Nothing at present.
    public static func token(
        _ token: @escaping @Sendable (_ refused: String?) async throws -> String
    ) throws -> FirestoreAccess {
        try FirestoreAccess(google, token: token)
    }

    /// Google's servers, with the rights of the service account of the machine, on Google Cloud.
    ///
    /// - Returns: The access.
    /// - Throws: Nothing at present.
    public static func metadataServer() throws -> FirestoreAccess {
        guard let address = URL(string: "http://metadata.google.internal") else {
            throw RecordDatabaseError(.invalidOptions, reason: "the address of the metadata server is not a URL")
        }
        return try metadataServer(URLSessionTransport(address))
    }

    static func metadataServer(_ transport: any RecordHTTPTransport) throws -> FirestoreAccess {
        let tokens = TokenCache { try await TokenRequest.metadataServer.token(transport) }
        return try FirestoreAccess(google) { try await tokens.token(refused: $0) }
    }

    /// Google's servers, with the rights of a service account, on any machine.
    ///
    /// - Parameters:
    ///   - file: The content of the JSON file with the account's key.
    ///   - sign: Signs bytes with the key, which is the PEM text of the file: RSASSA-PKCS1-v1_5 with SHA-256.
    /// - Returns: The access.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions` for a file of another form; no error has the key.
    public static func serviceAccount(
        _ file: Data, sign: @escaping @Sendable (_ bytes: Data, _ key: String) async throws -> Data
    ) throws -> FirestoreAccess {
        let account = try ServiceAccount(file)
        return try serviceAccount(account, URLSessionTransport(account.server), sign: sign)
    }

    static func serviceAccount(
        _ account: ServiceAccount, _ transport: any RecordHTTPTransport,
        sign: @escaping @Sendable (_ bytes: Data, _ key: String) async throws -> Data
    ) throws -> FirestoreAccess {
        let tokens = TokenCache {
            try await account.request(at: Date(), sign: sign).token(transport)
        }
        return try FirestoreAccess(google) { try await tokens.token(refused: $0) }
    }

    #if canImport(Security) || OpenSSL
    /// Google's servers, with the rights of a service account, on any machine.
    ///
    /// Security signs with the account's key on Apple's systems, and OpenSSL on others: there this function is declared only
    /// with the package trait `OpenSSL`.
    ///
    /// - Parameter file: The content of the JSON file with the account's key.
    /// - Returns: The access.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions` for a file of another form, and for a key that cannot
    ///   sign; no error has the key.
    public static func serviceAccount(_ file: Data) throws -> FirestoreAccess {
        let account = try ServiceAccount(file)
        return try serviceAccount(account, URLSessionTransport(account.server))
    }

    static func serviceAccount(
        _ account: ServiceAccount, _ transport: any RecordHTTPTransport
    ) throws -> FirestoreAccess {
        // A damaged key fails now, and not in the first call of the database.
        _ = try PrivateKeySignature.signature(of: Data(), key: account.key)
        return try serviceAccount(account, transport) { try PrivateKeySignature.signature(of: $0, key: $1) }
    }
    #endif

    /// An emulator of Firestore, without security rules.
    ///
    /// - Parameter host: The host and the port; by default those of the environment's variable `FIRESTORE_EMULATOR_HOST`.
    /// - Returns: The access.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions` without a host.
    public static func emulator(
        host: String? = ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR_HOST"]
    ) throws -> FirestoreAccess {
        try FirestoreAccess(host.flatMap { URL(string: "http://\($0)") }) { _ in "owner" }
    }
}

extension FirestoreAccess: CustomStringConvertible {
    /// The address, without a token.
    public var description: String { "Firestore at \(address.host ?? "")" }
}
