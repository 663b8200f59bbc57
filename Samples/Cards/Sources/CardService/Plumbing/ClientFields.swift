import HTTPTypes

/// The members of a value that a client may set.
///
/// All others are refused, so a client forges no version and no link.
protocol ClientFields: Codable, Sendable {
    /// The names of the members.
    static var names: Set<String> { get }

    /// Throws a problem for values that are not allowed.
    func check() throws
}

extension ClientFields {
    func checkText(_ text: String, _ name: String, upTo limit: Int) throws {
        guard 1...limit ~= text.utf8.count else {
            throw Problem(.badRequest, "The member '\(name)' has 1 to \(limit) bytes.")
        }
    }

    /// Reads the members of a new value.
    init(_ body: JSONBody) throws { self = try body.applied(to: [:]) }

    /// These members after a JSON merge patch: null removes a member, and a missing member keeps it.
    func merged(with patch: JSONBody) throws -> Self {
        guard case .object(let present) = try JSON(of: self) else { return self }
        return try patch.applied(to: present)
    }
}
