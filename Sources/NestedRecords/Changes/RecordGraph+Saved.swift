extension RecordGraph {
    /// This graph as the database holds it after a save: the baseline for the next save.
    ///
    /// ```swift
    /// let graph = try encoder.encode(school)
    /// let saved = try await database.save(graph, changedFrom: baseline)
    /// baseline = graph.updated(with: saved, from: baseline)
    /// ```
    ///
    /// - Parameters:
    ///   - metadata: The result of the save: the new metadata of the saved records.
    ///   - baseline: The graph that the save started from. It provides the metadata of records that were not saved and
    ///     have none.
    /// - Returns: The same records with their metadata, and with the modification date in place of each saved
    ///   ``Record/Value/serverTimestamp``.
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
