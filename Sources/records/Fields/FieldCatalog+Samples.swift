import NestedRecords

extension FieldCatalog {
    /// A value of a field that is neither null nor an empty list, if a record of the type has one; nil if the type has
    /// no records.
    ///
    /// - Parameter owner: The word in which the user named the field, for errors.
    /// - Throws: `UsageError` if no record of the type has the field, and errors of reading.
    mutating func example(of path: FieldPath, inType type: String, for owner: String) async throws -> Record.Value? {
        if let value = examples[type]?[path] { return value }
        for filter in [.exists(path) && .not(.isAny(path, of: [.null, .list([])])), RecordFilter.exists(path)] {
            let record = try await database?.page(RecordQuery(type, where: filter, limit: 1)).records.first
            guard let value = record.flatMap(path.value) else { continue }
            examples[type, default: [:]][path] = value
            return value
        }
        if let database { try await Self.checked([Name([type], path, of: owner)], in: database, named: input) }
        return nil
    }

    /// Looks at the values at a path, also in the records that references on it lead to.
    ///
    /// - Parameters:
    ///   - types: The types of the records; none for any.
    ///   - count: The maximum number of records to read.
    ///   - records: The records of a type, or all; read from the first again with each call.
    ///   - isEnough: Called with each value, and with nil for a record without one; returns whether to stop.
    /// - Returns: Whether all records were read, or enough.
    static func sample(
        _ path: FieldPath, of types: [String], atMost count: Int, in records: (String?) -> RecordSequence,
        _ isEnough: (Record.Value?) -> Bool
    ) async throws -> Bool {
        var (open, isComplete) = ([(path: path, types: types, depth: 0)], true)
        while let (path, types, depth) = open.popLast() {
            var targets: [[String]: Set<String>] = [:]
            var rest = count
            reading: for type in types.isEmpty ? [nil] : types.map({ $0 }) {
                for try await record in records(type) where !record.id.isReserved {
                    let ends = path.ends(in: record)
                    for (route, value) in ends {
                        if let type = route.type {
                            targets[route.rest, default: []].insert(type)
                        } else if isEnough(value) {
                            return isComplete
                        }
                    }
                    if ends.isEmpty, depth == 0, isEnough(nil) { return isComplete }
                    rest -= 1
                    if rest == 0 {
                        isComplete = false
                        break reading
                    }
                }
            }
            guard depth < mostReferences else { continue }
            open += targets.map { (FieldPath($0.key), $0.value.sorted(), depth + 1) }
        }
        return isComplete
    }
}
