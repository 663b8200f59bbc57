import NestedRecords

/// The values that paths lead to: through maps, lists and references, and against references.
///
/// A step `^State` leads from a record to the records of the type State that refer to it.
extension FieldCatalog {
    /// The maximum number of values of a record.
    static let mostValues = 100_000

    /// The maximum number of records whose targets, and whose referring records, are sought at once.
    private static let (mostFollowed, mostReferred) = (1_000, 10_000)

    /// The number of records to pass to ``values(at:in:)``.
    ///
    /// A step against references reads all records of a type for each call.
    static func pageSize(for paths: [FieldPath]) -> Int {
        if paths.contains(where: \.leadsBack) { return mostReferred }
        return paths.contains { $0.names.count > 1 } ? mostFollowed : 1
    }

    /// Calls a closure with pages of records.
    static func forEachPage(
        of size: Int, in records: RecordSequence, _ body: ([Record]) async throws -> Void
    ) async throws {
        var page: [Record] = []
        for try await record in records {
            page.append(record)
            guard page.count == size else { continue }
            try Task.checkCancellation()
            try await body(page)
            page.removeAll(keepingCapacity: true)
        }
        if !page.isEmpty { try await body(page) }
    }

    /// The values at a path in each of some records; for a path that ends with a step, references to the records.
    ///
    /// - Throws: `UsageError` for a record with too many values, and errors of reading.
    func values(at path: FieldPath, in records: [Record]) async throws -> [[Record.Value]] {
        if path.names.isEmpty { return records.map { record in path.value(in: record).map { [$0] } ?? [] } }
        return try await values(at: path.names[...], in: records)
    }

    private func values(at names: ArraySlice<String>, in records: [Record]) async throws -> [[Record.Value]] {
        guard let first = names.first else { return records.map { [.reference(Record.Reference(to: $0.id))] } }
        let found =
            first.isEmpty
            ? try await referringValues(at: names.dropFirst(), of: records)
            : try await ownValues(at: names, in: records)
        if let position = found.firstIndex(where: { $0.count > Self.mostValues }) {
            throw UsageError(
                "'\(FieldPath(Array(names)).filterText.shortened)' leads from \(records[position].id) to more than "
                    + "\(Self.mostValues.grouped) values")
        }
        return found
    }

    /// The values in the records, and in those that their references lead to.
    private func ownValues(at names: ArraySlice<String>, in records: [Record]) async throws -> [[Record.Value]] {
        let head = FieldPath(Array(names.prefix { !$0.isEmpty }))
        let tail = names.dropFirst(head.names.count)
        var found = [[Record.Value]](repeating: [], count: records.count)
        var sought: [[String]: [(position: Int, target: Record.ID)]] = [:]
        var total = 0
        for (position, record) in records.enumerated() {
            for (route, value) in head.ends(in: record) {
                if route.type == nil, tail.isEmpty {
                    found[position].append(value)
                    continue
                }
                let values = if case .list(let values) = value { values } else { [value] }
                for case .reference(let reference) in values {
                    sought[route.rest + tail, default: []].append((position, reference.id))
                }
            }
        }
        for (rest, references) in sought.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let size = max(Self.mostFollowed, Self.pageSize(for: [FieldPath(rest)]))
            var values: [Record.ID: [Record.Value]] = [:]
            for page in references.map(\.target).uniqued().portions(of: size) {
                try Task.checkCancellation()
                let records = Array(try await database?.recordsByID(for: Array(page)).values ?? [:].values)
                for (record, of) in zip(records, try await self.values(at: rest[...], in: records)) {
                    values[record.id] = of
                }
            }
            for (position, target) in references {
                let values = values[target] ?? []
                try count(values, &total, at: names)
                found[position] += values
            }
        }
        return found
    }

    /// Counts values before they are added.
    ///
    /// - Throws: `UsageError` if there are too many.
    private func count(_ values: [Record.Value], _ total: inout Int, at names: ArraySlice<String>) throws {
        total += values.count
        guard total > mostTogether else { return }
        throw UsageError(
            "'\(FieldPath(Array(names)).filterText.shortened)' leads to more than \(mostTogether.grouped) values; "
                + "choose fewer records, or a shorter path")
    }

    /// The values in the records of a type that refer to the records, each referring record once.
    ///
    /// - Parameter names: The type, and the names in its records.
    private func referringValues(at names: ArraySlice<String>, of records: [Record]) async throws -> [[Record.Value]] {
        let rest = names.dropFirst()
        let sought = Set(records.map(\.id))
        var found: [Record.ID: [Record.Value]] = [:]
        var total = 0
        let size = max(Self.mostFollowed, Self.pageSize(for: [FieldPath(Array(rest))]))
        guard let database else { return records.map { _ in [] } }
        try await Self.forEachPage(of: size, in: database.records(ofType: names.first)) { page in
            let referring = page.compactMap { record in
                let targets = sought.intersection(record.references.map(\.id))
                return targets.isEmpty ? nil : (record: record, targets: targets)
            }
            let values = try await values(at: rest, in: referring.map(\.record))
            for ((_, targets), values) in zip(referring, values) {
                for target in targets {
                    try count(values, &total, at: [""] + names)
                    found[target, default: []] += values
                }
            }
        }
        return records.map { found[$0.id] ?? [] }
    }
}
