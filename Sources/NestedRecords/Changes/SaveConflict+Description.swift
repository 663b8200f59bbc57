extension SaveConflict: CustomStringConvertible {
    /// The record with both versions, followed by a line for each field that both sides changed.
    ///
    /// ```
    /// Pupil/ann: version 2 to save, version 3 in the database
    ///     age: 8 to save, 9 in the database, 7 before
    /// ```
    public var description: String {
        let versions = [(client, "to save"), (server, "in the database")]
            .map { "version \($0.metadata?.changeTag ?? "none") \($1)" }.joined(separator: ", ")
        return (["\(client.id): \(versions)"] + contestedFields.map { "    \($0)" }).joined(separator: "\n")
    }
}

extension SaveConflict: ChildlessReflectable {}

extension SaveConflict.Field: CustomStringConvertible {
    /// The name, and the values of both sides and of the ancestor.
    public var description: String {
        let values = [(client, "to save"), (server, "in the database"), (ancestor, "before")]
            .map { "\($0?.description ?? "absent") \($1)" }
        return "\(name.asLabel): \(values.joined(separator: ", "))"
    }
}

extension SaveConflict.Field: ChildlessReflectable {}
