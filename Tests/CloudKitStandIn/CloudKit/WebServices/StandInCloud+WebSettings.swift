import Foundation

extension StandInCloud {
    /// What a test chooses about the web services.
    public struct Web: Sendable {
        /// The token of the container in the environment.
        public var apiToken = "api-token"

        /// Whether a web token is refused after its successor arrived, as documented, or stays valid.
        ///
        /// That it stays valid on Apple's server is a report: https://github.com/brightdigit/MistKit/issues/462
        /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/SettingUpWebServices.html
        public var retiresTokens = true

        /// How many seconds a web token lives, 30 minutes by the same page.
        public var tokenLifetime = 1_800.0

        /// Verifies a signature: the signed message, the signature in DER and the ID of the key.
        ///
        /// Without it, and without `sha256`, no key is known.
        public var verify: (@Sendable (_ message: Data, _ signature: Data, _ keyID: String) -> Bool)?

        /// The digest of a signed body.
        public var sha256: (@Sendable (Data) -> Data)?

        /// How many seconds the date of a signed request can differ from the server's clock. [not verified]
        public var signatureWindow = 600.0

        /// The largest number of operations, or of records or tokens that are asked for, 200; the error [not verified].
        ///
        /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/PropertyMetrics.html
        public var itemLimit = 200

        /// The start of the addresses for files.
        public var assetOrigin = "https://assets.stand-in"

        /// Whether the creation of a zone that exists is an error (EXISTS), or the zone is returned. [not verified]
        public var refusesExistingZones = false
    }

    /// The token of the container.
    public var apiToken: String { self.web.apiToken }

    typealias WebToken = (user: String, expires: Date)

    /// A place for the file of a record's field, and the file after the upload.
    typealias Upload = (target: String, expires: Date, file: URL?)

    /// A token of a user who signed in; its form, with characters that must be encoded, [not verified].
    public func webToken(user: String) -> String {
        let token = "1__54__" + UUID().uuidString + "+/="
        state.withLock {
            let expires = $0.settings.clock().addingTimeInterval($0.settings.web.tokenLifetime)
            $0.webTokens[token] = (user, expires)
        }
        return token
    }
}
