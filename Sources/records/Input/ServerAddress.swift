import NestedRecords

/// The address of a database on a server: of a service over HTTP, of Firestore (``FirestoreAddress``), of CloudKit
/// (``CloudKitAddress``), or of PostgreSQL, a URI of libpq and the schema of the tables.
///
/// The schema is the parameter `schema`, which libpq does not know. No output shows the password of the address.
struct ServerAddress: Sendable {
    /// The URI for libpq.
    let connection: String

    /// The schema; nil for the default.
    let schema: String?

    /// The address for messages, without the password and the connection parameters.
    let shown: String

    /// The engine of the server.
    let engine: Engine

    /// Whether the address names a user.
    let hasUser: Bool

    private static let usualScheme = Engine.postgreSQL.schemes[0]

    /// The scheme at the start of a text, as the table of engines spells it, and its engine; case does not matter.
    private static func scheme(of text: Substring.UnicodeScalarView) -> (text: String, engine: Engine)? {
        for engine in Engine.all {
            let scheme = engine.schemes.first { String(text.prefix($0.unicodeScalars.count)).lowercased() == $0 }
            if let scheme { return (scheme, engine) }
        }
        return nil
    }

    /// Keywords of libpq whose values must not be shown.
    private static let secretKeywords: Set<String> = [
        "password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key",
    ]

    /// Keywords of libpq that begin a keyword list, or that most lists contain.
    private static let keywords = secretKeywords.union([
        "host", "hostaddr", "port", "dbname", "user", "passfile", "service", "servicefile", "sslmode", "options",
        "application_name", "connect_timeout", "client_encoding", "target_session_attrs",
    ])

    /// The range of the first keyword that an equals sign follows; case does not matter.
    ///
    /// - Parameter mayFollow: Whether a keyword may begin after a character.
    private static func place(
        of keywords: Set<String>, in text: String.UnicodeScalarView, after mayFollow: (Unicode.Scalar) -> Bool
    ) -> Range<String.Index>? {
        for start in text.indices where start == text.startIndex || mayFollow(text[text.index(before: start)]) {
            let word = text[start...].prefix { scalar in
                scalar.isASCII && scalar.properties.isAlphabetic || scalar == "_"
            }
            guard keywords.contains(String(word).lowercased()) else { continue }
            let rest = text[word.endIndex...].drop(while: \.properties.isWhitespace)
            if let scalar = rest.first, scalar == "=" { return start..<word.endIndex }
        }
        return nil
    }

    /// Reads an address.
    ///
    /// - Parameter text: The argument; the result is nil if it does not begin like an address.
    /// - Throws: `UsageError` without any part of the address, also for a list of libpq's keywords.
    init?(_ text: String) throws {
        guard let (scheme, engine) = Self.scheme(of: text.unicodeScalars[...]) else {
            let isPath = text.utf8.first == UInt8(ascii: "/") || text.utf8.first == UInt8(ascii: ".")
            if isPath
                || Self.place(of: Self.keywords, in: text.unicodeScalars, after: \.properties.isWhitespace) == nil
            {
                return nil
            }
            throw UsageError(
                "a server needs an address, 'postgresql://USER@HOST/DATABASE', not a list of keywords; write './' before a "
                    + "path that begins like one")
        }
        self.engine = engine
        // Not as characters: a sign and a combining mark after it are one character.
        let scalars = text.unicodeScalars.dropFirst(scheme.unicodeScalars.count)
        let authority = scalars.prefix { $0 != "/" && $0 != "?" }
        let scalarsAfter = scalars[authority.endIndex...]
        // If a password contains one of these signs, a part of it would be read as the name of the server.
        guard scalars.count(where: { $0 == "@" }) <= 1, !scalarsAfter.contains("@") else {
            throw UsageError(
                "an address has one '@', before the server's name: in a user, a password or another part write '%40' for "
                    + "'@', '%2F' for '/' and '%3F' for '?'")
        }
        let path = scalarsAfter.prefix { $0 != "?" }
        var parameters = scalarsAfter.dropFirst(path.count + 1).split(separator: "&")
        let key = "schema=".unicodeScalars
        let schemas = parameters.filter { $0.starts(with: key) }.map { Substring($0.dropFirst(key.count)) }
        parameters.removeAll { $0.starts(with: key) }
        schema = try schemas.first.map { schema in
            guard schemas.count == 1, let name = Self.decoded(schema) else {
                throw UsageError("the parameter 'schema' of an address is one name, in which '%25' means '%'")
            }
            return name
        }
        let query = parameters.isEmpty ? "" : "?" + parameters.map { String($0) }.joined(separator: "&")
        connection = scheme + String(authority) + String(path) + query
        let sign = authority.firstIndex { scalar in scalar == "@" }
        let user = sign.map { String(authority[..<$0].prefix { scalar in scalar != ":" }) + "@" } ?? ""
        hasUser = sign != nil
        let host = sign.map { authority[authority.index(after: $0)...] } ?? authority
        shown = scheme + user + String(host) + String(path) + (schemas.first.map { "?schema=" + $0 } ?? "")
    }

    /// The decoded steps after the scheme, and the parameters with their decoded values, which colons separate; nil for an
    /// invalid encoding.
    var parts: (steps: [String], parameters: [(name: String, values: [String])])? {
        func decoded(_ scalars: Substring.UnicodeScalarView, _ separator: Unicode.Scalar) -> [String]? {
            let parts = scalars.split(separator: separator, omittingEmptySubsequences: false)
            let texts = parts.compactMap { Self.decoded(Substring($0)) }
            return texts.count == parts.count ? texts : nil
        }
        let scalars = connection.unicodeScalars.dropFirst(engine.schemes[0].unicodeScalars.count)
        let path = scalars.prefix { scalar in scalar != "?" }
        guard let steps = decoded(path, "/") else { return nil }
        var parameters: [(String, [String])] = []
        for parameterScalars in scalars.dropFirst(path.count + 1).split(separator: "&") {
            let name = parameterScalars.prefix { scalar in scalar != "=" }
            let value = parameterScalars.dropFirst(name.count + 1)
            guard let values = name.count < parameterScalars.count ? decoded(value, ":") : [] else { return nil }
            parameters.append((String(name), values))
        }
        return (steps, parameters)
    }

    /// The text with its percent encoding decoded; nil if the encoding is invalid.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") }),
                let number = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(number)
            rest = rest.dropFirst(2)
        }
        return String(validUTF8: bytes)
    }

    /// The name of a path or an address in messages.
    ///
    /// - Throws: `UsageError` for an invalid address.
    static func shown(_ path: String) throws -> String { try ServerAddress(path)?.shown ?? path }

    /// A text in which addresses and secret keywords of the command line are replaced by forms without secrets.
    ///
    /// - Parameter text: The text, such as an error message.
    static func withoutPasswords(_ text: String, of words: [String]) -> String {
        words.reduce(text) { text, word in
            var (text, word) = (text, word)
            let keyword = place(of: secretKeywords, in: word.unicodeScalars) { scalar in
                !scalar.properties.isAlphabetic && scalar != "_"
            }
            if let keyword {
                let secret = String(word.unicodeScalars[keyword.lowerBound...])
                let shown = String(word.unicodeScalars[keyword]) + "=…"
                text = hiding(secret, as: shown, in: text)
                word = String(word.unicodeScalars[..<keyword.lowerBound]) + shown
            }
            let scalars = word.unicodeScalars
            guard let start = scalars.indices.first(where: { scheme(of: scalars[$0...]) != nil }) else { return text }
            let address = String(scalars[start...])
            // An invalid address is not shown at all.
            return hiding(address, as: (try? ServerAddress(address))?.shown ?? "\(usualScheme)…", in: text)
        }
    }

    private static func hiding(_ word: String, as shown: String, in text: String) -> String {
        let found = text.unicodeScalars.replacing(word.unicodeScalars, with: shown.unicodeScalars)
        return String(found.replacing(word.visible.unicodeScalars, with: shown.visible.unicodeScalars))
    }
}
