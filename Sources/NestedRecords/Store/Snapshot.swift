/// What a live value or a live query shows at one moment of the database.
public struct Snapshot<Value> {
    /// The value, or the values of the query; the error of reading them at this moment.
    ///
    /// After an error the sequence goes on with the next change of a record that was read.
    public let result: Result<Value, any Error>

    /// The moment.
    ///
    /// A live value or query that begins at this token goes on after it: an event stream sends the token with each event,
    /// and a client that comes back names the last one.
    public let token: ChangeToken

    /// What the last snapshot of the iteration showed that was not an error; nil if there is none.
    let previous: Value?

    init(_ result: Result<Value, any Error>, after previous: Value? = nil, at token: ChangeToken) {
        (self.result, self.previous, self.token) = (result, previous, token)
    }

    /// The value, or the values of the query.
    ///
    /// - Throws: The error of ``result``: a record does not fit the Swift type, or a nested record is missing.
    public var value: Value { get throws { try result.get() } }
}

extension Snapshot: Sendable where Value: Sendable {}

extension Snapshot: CustomStringConvertible {
    /// The value or the error, and the token.
    public var description: String {
        switch result {
        case .success(let value): "\(value) (at \(token))"
        case .failure(let error): "\(error) (at \(token))"
        }
    }
}

extension Snapshot: ChildlessReflectable {}
