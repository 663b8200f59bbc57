import HTTPTypes

extension HTTPField.Name {
    /// The header with the address of the next page.
    static let nextLink = named("Link")

    /// The header with the ID of the last event that a client has.
    static let lastEventID = named("Last-Event-ID")

    /// The header that says which addresses a browser names as the source of a request.
    static let referrerPolicy = named("Referrer-Policy")

    private static func named(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is not the name of a header") }
        return name
    }
}
