import NestedRecords

/// The records that references lead to from a root, found level by level.
///
/// Links are followed to their targets and no further: what is only pointed at is no part of what points. In memory
/// are the IDs, not the records.
struct ReachedRecords {
    /// How many records are fetched together.
    static let portion = 1_000

    /// The records that are there, in the order in which they were reached: the root first.
    private(set) var ids: [Record.ID] = []

    /// Those whose references were followed.
    private(set) var followed: Set<Record.ID> = []

    /// Those that were reached, there or not.
    private(set) var reached: Set<Record.ID> = []

    /// Finds out what is reached.
    ///
    /// - Parameters:
    ///   - root: The record to begin at.
    ///   - maximumDepth: How many references away from the root to go.
    ///   - database: Where the records are.
    /// - Throws: What the database throws; `RecordError.recordNotFound` if the root is not there.
    init(from root: Record.ID, maximumDepth: Int, in database: any RecordDatabase) async throws {
        var level = [root]
        reached = [root]
        var depth = 0
        // Reached by a link, until a nested reference leads there too.
        var linked: Set<Record.ID> = []
        while !level.isEmpty {
            var next: [Record.ID] = []
            for portion in level.portions(of: Self.portion) {
                let found = try await database.recordsByID(for: Array(portion))
                for id in portion {
                    guard let record = found[id] else {
                        if id == root { throw RecordError.recordNotFound(root) }
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

extension Array {
    /// The elements in pieces of a size, the last one smaller.
    func portions(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: Swift.max(1, size)).map { self[$0..<Swift.min($0 + Swift.max(1, size), count)] }
    }
}
