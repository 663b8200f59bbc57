/// A record in a tree of references, and its distance from the record where the search has begun.
public struct RecordDepth: Sendable, Hashable {
    /// The record.
    public let id: Record.ID

    /// The number of references between both: 1 for a child or a parent.
    public let depth: Int
}

// They are made of pages and fetches: each database, scope and transaction has them, with the records that it shows.

extension RecordDatabase {
    /// Finds the records that refer to a record of their type, those that refer to these, and so on.
    ///
    /// Each record is found once, also in a cycle. A record that the filter excludes hides those below it.
    ///
    /// - Parameters:
    ///   - ids: The records to begin with, which are not found themselves.
    ///   - path: The field with the reference; references in lists do not count.
    ///   - query: The type of the records, and the filter that each of them must match. The rest has no effect.
    ///   - maximum: The number of records that may be found.
    /// - Returns: The records by depth, then by ID.
    /// - Throws: ``RecordError`` with the code `treeTooLarge` if there are more; the errors of ``page(_:)``.
    /// - Complexity: One call of ``page(_:)`` for each level and each 10,000 records of it; an index by the field makes it
    ///   fast.
    public func descendants(
        of ids: [Record.ID], by path: FieldPath, in query: RecordQuery, atMost maximum: Int = 10_000
    ) async throws -> [RecordDepth] {
        var (found, seen, level, depth) = ([RecordDepth](), Set(ids), ids, 0)
        // One more shows that there are too many.
        let most = min(max(0, maximum), .max - 1) + 1
        while !level.isEmpty {
            depth += 1
            var children: [Record.ID] = []
            for parents in level.batches(of: min(limits.batchCount, 10_000)) {
                let isChild = RecordFilter.isAny(path, of: parents.map { .reference(Record.Reference(to: $0)) })
                var query = RecordQuery(query.recordType, where: query.filter.map { $0 && isChild } ?? isChild)
                query.fields = []
                repeat {
                    query.limit = most - found.count - children.count
                    let page = try await page(query)
                    children += page.records.lazy.map(\.id).filter { seen.insert($0).inserted }
                    try checkTree(found.count + children.count, of: path, atMost: maximum)
                    query.after = page.next
                } while query.after != nil
            }
            level = children.sorted()
            found += level.map { RecordDepth(id: $0, depth: depth) }
        }
        return found
    }

    /// Finds the record that a record refers to, the one that this refers to, and so on.
    ///
    /// The search ends at a record without the reference, at one that is missing or that the filter excludes, and in a cycle.
    ///
    /// - Parameters:
    ///   - id: The record to begin with, which is not found itself.
    ///   - path: The field with the reference.
    ///   - query: The type of the records, and the filter that each of them must match. The rest has no effect.
    ///   - maximum: The number of records that may be found.
    /// - Returns: The records, the nearest first.
    /// - Throws: ``RecordError`` with the code `treeTooLarge` if there are more; the errors of ``records(for:)`` and
    ///   ``page(_:)``.
    /// - Complexity: One call for each level.
    public func ancestors(
        of id: Record.ID, by path: FieldPath, in query: RecordQuery, atMost maximum: Int = 1_000
    ) async throws -> [RecordDepth] {
        var (found, seen) = ([RecordDepth](), Set([id]))
        var record = try await records(for: [id]).first
        while case .reference(let reference)? = record.flatMap(path.value(in:)) {
            let id = reference.id
            guard id.type == query.recordType, seen.insert(id).inserted else { break }
            if let filter = query.filter {
                let isParent = RecordFilter.compare(.recordName, .equal, .string(id.name))
                record = try await page(RecordQuery(id.type, where: filter && isParent)).records.first
            } else {
                record = try await records(for: [id]).first
            }
            if record == nil { break }
            found.append(RecordDepth(id: id, depth: found.count + 1))
            try checkTree(found.count, of: path, atMost: maximum)
        }
        return found
    }

    private func checkTree(_ count: Int, of path: FieldPath, atMost maximum: Int) throws {
        if count <= maximum { return }
        throw RecordError(.treeTooLarge, reason: "there are more than \(maximum) by '\(path)'")
    }
}
