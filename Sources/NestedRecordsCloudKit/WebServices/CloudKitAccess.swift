public import Foundation
import NestedRecords
import NestedRecordsHTTP

/// Whose rights the requests to CloudKit's web services have.
///
/// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/SettingUpWebServices.html
public struct CloudKitAccess: Sendable {
    let credentials: any WebCredentials

    /// Whether the access is to the public database alone.
    let isPublic: Bool

    /// The rights of a user who has signed in on a page of Apple, for the user's private database.
    ///
    /// CloudKit replaces the token with each answer. Requests are sent one after the other.
    ///
    /// - Parameters:
    ///   - apiToken: The token of the container, from the CloudKit console.
    ///   - webAuthToken: The token that the user's page has received, `ckWebAuthToken`, or the last one that was kept.
    ///   - keep: Keeps the next token, for the next start of the program. The next request waits for it, so it must not use
    ///     the database.
    /// - Returns: The access.
    public static func user(
        apiToken: String, webAuthToken: String, keep: @escaping @Sendable (_ webAuthToken: String) async -> Void
    ) -> CloudKitAccess {
        CloudKitAccess(
            credentials: UserCredentials(apiToken: apiToken, webAuthToken: webAuthToken, keep: keep), isPublic: false)
    }

    /// The rights of a server-to-server key, for the public database.
    ///
    /// - Parameters:
    ///   - id: The ID of the key, from the CloudKit console.
    ///   - sign: Signs bytes with the key: ECDSA on the curve P-256 with SHA-256, as DER.
    /// - Returns: The access.
    public static func serverKey(
        id: String, sign: @escaping @Sendable (_ bytes: Data) async throws -> Data
    ) -> CloudKitAccess {
        CloudKitAccess(credentials: KeyCredentials(id: id, sign: sign), isPublic: true)
    }

    #if canImport(Security) || OpenSSL
    /// The rights of a server-to-server key in a file, for the public database.
    ///
    /// It exists on Apple's systems, and on Linux with the package trait `OpenSSL`.
    ///
    /// - Parameters:
    ///   - id: The ID of the key, from the CloudKit console.
    ///   - pem: The content of the file with the private key.
    /// - Returns: The access.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions` for another content; no error has the key.
    public static func serverKey(id: String, pem: String) throws -> CloudKitAccess {
        // A key that cannot sign is refused here, and not in the first request.
        try PrivateKeySignature.checkIsOfCurve(pem)
        _ = try PrivateKeySignature.signature(of: Data(), key: pem)
        return serverKey(id: id) { try PrivateKeySignature.signature(of: $0, key: pem) }
    }
    #endif
}

extension CloudKitAccess: CustomStringConvertible {
    /// Whether it is of a user or of a key, without tokens.
    public var description: String { isPublic ? "CloudKit with a server key" : "CloudKit as a user" }
}

extension CloudKitAccess: ChildlessReflectable {}

/// The environment of a container.
public enum CloudKitEnvironment: String, Sendable, Hashable {
    /// That of programs in development, in which saves add types and fields.
    case development

    /// That of released programs.
    case production
}
