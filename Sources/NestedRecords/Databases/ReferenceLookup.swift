/// Finds records by the references in them.
package protocol ReferenceLookup: Sendable {
    /// The records that some own, those that these own, and so on.
    ///
    /// A record may come that owns nothing any more: whoever uses it looks at the record itself.
    ///
    /// - Parameter ids: The owners, be they there or not.
    /// - Returns: The records that they own, maybe some of the owners among them, in the order in which the database lists
    ///   them.
    func owned(by ids: [Record.ID]) async throws -> [Record.ID]

    /// The records that refer to some.
    ///
    /// - Parameter ids: The targets, be they there or not.
    /// - Returns: The records that refer to one of them, in the order in which the database lists them.
    func recordsReferring(to ids: [Record.ID]) async throws -> [Record.ID]
}
