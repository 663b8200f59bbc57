#if PostgreSQL
import CPostgreSQL
import NestedRecords

/// The parameters that libpq reads from a connection string.
struct ConnectionParameters: Sendable {
    /// Keywords and values, as `PQconnectdbParams` takes them.
    private(set) var values: [(keyword: String, value: String)]

    /// The values that must not be shown.
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

    /// Sets a value unless the string has one.
    mutating func setDefault(_ value: String, for keyword: String) {
        if !values.contains(where: { $0.keyword == keyword }) { values.append((keyword, value)) }
    }

    /// Sets the timeout of the network, as far as the string does not set it.
    ///
    /// Sent bytes have to be acknowledged within that time. An idle connection, or one that waits for an answer, is
    /// probed after half of it.
    mutating func setDefaults(networkTimeout: Duration) {
        // The system accepts at most 32,767 seconds for the time before the first probe.
        let seconds = Int(min(max(networkTimeout.inSeconds, 3), 65_534))
        setDefault("\(seconds * 1_000)", for: "tcp_user_timeout")
        setDefault("1", for: "keepalives")
        setDefault("\(seconds / 2)", for: "keepalives_idle")
        setDefault("\(max(1, seconds / 6))", for: "keepalives_interval")
        setDefault("3", for: "keepalives_count")
    }

    /// Sets a value, and replaces one in the string.
    mutating func set(_ value: String, for keyword: String) {
        values.removeAll { $0.keyword == keyword }
        values.append((keyword, value))
    }

    /// A message of libpq in one line, without secret values.
    func message(_ text: String) -> String {
        // Not as characters: a combining mark at the beginning of a password would join the preceding character.
        let shown = secrets.reduce(text.unicodeScalars) { text, secret in
            text.replacing(secret.unicodeScalars, with: "…".unicodeScalars)
        }
        return shown.split(whereSeparator: \.isLineBreak).map { line in
            String(line.drop(while: \.properties.isWhitespace))
        }.joined(separator: " ")
    }

    /// Calls the closure with the keywords and the values, each list terminated by nil.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result?
    ) -> Result? {
        let texts = values.map { (Array($0.keyword.utf8CString), Array($0.value.utf8CString)) }
        var bytes: [CChar] = []
        var offsets: [(keyword: Int, value: Int)] = []
        for (keyword, value) in texts {
            offsets.append((bytes.count, bytes.count + keyword.count))
            bytes += keyword + value
        }
        return bytes.withUnsafeBufferPointer { buffer -> Result? in
            guard let start = buffer.baseAddress else { return nil }
            let keywords = offsets.map { Optional(start + $0.keyword) } + [nil]
            let values = offsets.map { Optional(start + $0.value) } + [nil]
            return keywords.withUnsafeBufferPointer { keywords in
                values.withUnsafeBufferPointer { values in
                    guard let keywords = keywords.baseAddress, let values = values.baseAddress else { return nil }
                    return body(keywords, values)
                }
            }
        }
    }
}
#endif
