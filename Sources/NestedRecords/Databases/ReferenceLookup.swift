/// Finds records by their references.
package protocol ReferenceLookup: Sendable {
    /// Returns the records that the given records own, directly or indirectly.
    ///
    /// The result may contain records that are no longer owned: the caller examines the records themselves.
    ///
    /// - Parameter ids: The owners; they need not exist.
    /// - Returns: The owned records, possibly including some of the owners, in the order in which the database lists
    ///   them.
    func owned(by ids: [Record.ID]) async throws -> [Record.ID]

    /// Returns the records that refer to any of the given records.
    ///
    /// - Parameter ids: The targets; they need not exist.
    /// - Returns: The referring records, in the order in which the database lists them.
    func recordsReferring(to ids: [Record.ID]) async throws -> [Record.ID]
}
