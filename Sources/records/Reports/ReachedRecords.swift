import NestedRecords

/// The records that are reachable from a root, found level by level.
///
/// The references of link targets are not followed, since link targets are not part of the linking record. Only
/// the IDs are held in memory.
struct ReachedRecords {
    /// The number of records that are fetched together.
    static let portion = 1_000

    /// The existing reachable records in breadth-first order: the root first.
    private(set) var ids: [Record.ID] = []

    /// The records whose references were followed.
    private(set) var followed: Set<Record.ID> = []

    /// All reached records, existing or missing.
    private(set) var reached: Set<Record.ID> = []

    /// Finds the reachable records.
    ///
    /// - Parameters:
    ///   - root: The first record.
    ///   - maximumDepth: The maximum number of references from the root.
    /// - Throws: Errors of the database; `RecordError.recordNotFound` if the root does not exist.
    init(from root: Record.ID, maximumDepth: Int, in database: any RecordDatabase) async throws {
        var level = [root]
        reached = [root]
        var depth = 0
        // Reached only by links so far.
        var linked: Set<Record.ID> = []
        while !level.isEmpty {
            var next: [Record.ID] = []
            for portion in level.portions(of: Self.portion) {
                let found = try await database.recordsByID(for: Array(portion))
                for id in portion {
                    guard let record = found[id] else {
                        if id == root { throw RecordError(.recordNotFound, recordID: root) }
                        continue
                    }
                    ids.append(id)
                    guard depth < maximumDepth else { continue }
                    followed.insert(id)
                    for reference in record.references {
                        let target = reference.id
                        if reference.isLink {
                            if reached.insert(target).inserted { linked.insert(target) }
                        } else if reached.insert(target).inserted || linked.remove(target) != nil {
                            next.append(target)
                        }
                    }
                }
            }
            level = next
            depth += 1
        }
        for portion in Array(linked).sorted().portions(of: Self.portion) {
            let found = try await database.recordsByID(for: Array(portion))
            ids += portion.filter { found[$0] != nil }
        }
    }
}
