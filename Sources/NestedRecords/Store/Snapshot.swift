/// What a live value or a live query shows at one moment of the database.
public struct Snapshot<Value> {
    /// The value, or the values of the query.
    public let value: Value

    /// The moment.
    ///
    /// A live value or query that begins at this token goes on after it: an event stream sends the token with each event,
    /// and a client that comes back names the last one.
    public let token: ChangeToken

    init(_ value: Value, at token: ChangeToken) { (self.value, self.token) = (value, token) }
}

extension Snapshot: Sendable where Value: Sendable {}

extension Snapshot: CustomStringConvertible {
    /// The value and the token.
    public var description: String { "\(value) (at \(token))" }
}

extension Snapshot: ChildlessReflectable {}
