extension RecordGraph {
    /// This graph as the database holds it after a save: the baseline for the next one.
    ///
    /// ```swift
    /// let graph = try encoder.encode(school)
    /// let saved = try await database.save(graph, changedFrom: baseline)
    /// baseline = graph.updated(with: saved, from: baseline)
    /// ```
    ///
    /// - Parameters:
    ///   - metadata: What the save answered: the new metadata of the records that were sent.
    ///   - baseline: The graph that the save started from. Records that were not sent, and have no metadata of their
    ///     own, have those that they have there.
    /// - Returns: The same records with their metadata, and with the modification date in place of each
    ///   ``Record/Value/serverTimestamp`` that was sent.
    /// - Complexity: O(*n*) for *n* records.
    public func updated(
        with metadata: [Record.ID: Record.Metadata], from baseline: RecordGraph? = nil
    ) -> RecordGraph {
        var records = records
        for position in records.indices {
            let id = records[position].id
            if let metadata = metadata[id] {
                records[position] = records[position].saved(as: metadata)
            } else if records[position].metadata == nil, let metadata = baseline?[id]?.metadata {
                records[position].metadata = metadata
            }
        }
        return RecordGraph(roots: roots, records: records, index: index, order: order)
    }
}
