#if PostgreSQL
import CPostgreSQL
import Foundation
@_spi(Engines) import NestedRecords

struct ConnectionParameters: Sendable {
    private(set) var values: [(keyword: String, value: String)]
    private let secrets: [String]

    /// The server, the database and the user, as far as the string names them.
    let place: String

    /// - Throws: `RecordDatabaseError` with the code `invalidConnection`. It repeats no part of the string, which may
    ///   contain a password.
    init(_ connection: String) throws(RecordDatabaseError) {
        guard !connection.utf8.contains(0) else {
            throw RecordDatabaseError(.invalidConnection, reason: "it contains a NUL")
        }
        guard let options = PQconninfoParse(connection, nil) else {
            throw RecordDatabaseError(
                .invalidConnection, reason: "it is neither a URI nor a list of keywords and values")
        }
        defer { PQconninfoFree(options) }
        var values: [(keyword: String, value: String)] = []
        var secrets: [String] = []
        var next = options
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val {
                let value = String(cString: value)
                values.append((String(cString: keyword), value))
                // libpq marks values that a form must not show.
                let isSecret = next.pointee.dispchar.map { String(cString: $0).utf8.elementsEqual("*".utf8) } ?? false
                if isSecret, !value.isEmpty { secrets.append(value) }
            }
            next += 1
        }
        self.values = values
        self.secrets = secrets
        func value(_ keyword: String) -> String? { values.last { $0.keyword == keyword && !$0.value.isEmpty }?.value }
        let host = value("host") ?? value("hostaddr") ?? "the default host"
        place =
            (value("dbname").map { "the database \($0)" } ?? "the default database") + " on \(host)"
            + (value("port").map { ":\($0)" } ?? "") + (value("user").map { " as \($0)" } ?? "")
    }

    private mutating func setDefault(_ value: String, for keyword: String) {
        if !values.contains(where: { $0.keyword == keyword }) { values.append((keyword, value)) }
    }

    /// Sets the timeouts that the string does not set: with those of the system, a lost connection may be waited for for
    /// hours.
    ///
    /// Sent bytes have to be acknowledged within a minute. An idle connection, or one that waits for an answer, is
    /// probed after half of it.
    mutating func setDefaults() {
        setDefault("10", for: "connect_timeout")
        setDefault("60000", for: "tcp_user_timeout")
        setDefault("1", for: "keepalives")
        setDefault("30", for: "keepalives_idle")
        setDefault("10", for: "keepalives_interval")
        setDefault("3", for: "keepalives_count")
        setDefault("NestedRecords", for: "application_name")
    }

    mutating func set(_ value: String, for keyword: String) {
        values.removeAll { $0.keyword == keyword }
        values.append((keyword, value))
    }

    func message(_ text: String) -> String {
        // Not as characters: a combining mark at the beginning of a password would join the preceding character.
        let shown = secrets.reduce(text.unicodeScalars) { text, secret in
            text.replacing(secret.unicodeScalars, with: "…".unicodeScalars)
        }
        return shown.split(whereSeparator: \.isLineBreak).map { line in
            String(line.drop(while: \.properties.isWhitespace))
        }.joined(separator: " ")
    }

    /// Begins a connection, which libpq opens even if the server refuses it; nil without memory.
    func connect() -> OpaquePointer? {
        // The lists end with nil.
        let keywords = values.map { strdup($0.keyword) } + [nil]
        let texts = values.map { strdup($0.value) } + [nil]
        defer { for text in keywords + texts { free(text) } }
        return PQconnectdbParams(keywords.map { UnsafePointer($0) }, texts.map { UnsafePointer($0) }, 0)
    }
}
#endif
