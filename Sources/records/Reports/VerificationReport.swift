import NestedRecords

/// Prints problems in records as they are found, and counts them.
struct VerificationReport {
    /// The stream for the problems.
    private let output: Output

    /// The maximum number of columns of a line; nil for any.
    private let width: Int?

    /// Whether harmless problems count too.
    private let isStrict: Bool

    /// Whether each of many like problems has a line of its own.
    private let listsAll: Bool

    /// The maximum number of like problems that are listed one by one.
    private static let listedCount = 10

    /// The number of problems, and of further harmless problems.
    private(set) var problems = 0
    private(set) var harmless = 0

    /// Makes an empty report.
    init(console: Console, isStrict: Bool, listsAll: Bool) {
        output = console.output
        width = console.outputTerminal.width
        (self.isStrict, self.listsAll) = (isStrict, listsAll)
    }

    /// Prints a problem on a line.
    ///
    /// - Parameter isHarmless: Whether the problem is harmless.
    mutating func add(_ text: String, isHarmless: Bool = false) throws {
        count(isHarmless: isHarmless)
        try write(text)
    }

    /// Prints problems on a line each, or on one line if there are many of one kind and place.
    mutating func add(_ findings: [Finding]) throws {
        var positions: [[String]: Int] = [:]
        var groups: [[Finding]] = []
        for finding in findings {
            let position = positions[[finding.place, finding.kind], default: groups.count]
            positions[[finding.place, finding.kind]] = position
            if position == groups.count { groups.append([finding]) } else { groups[position].append(finding) }
        }
        for group in groups {
            for finding in group { count(isHarmless: finding.isHarmless) }
            if let first = group.first, group.count > Self.listedCount, !listsAll {
                try write("\(first.place): \(group.count.grouped) \(first.kind) (first: \(first.records))")
            } else {
                for finding in group { try write(finding.text) }
            }
        }
    }

    private mutating func count(isHarmless: Bool) {
        if isHarmless, !isStrict { harmless += 1 } else { problems += 1 }
    }

    /// Prints a line that is not a problem.
    func write(_ text: String) throws {
        do {
            let lines = width.map { text.folded(to: $0) } ?? [text.visible]
            try output.write(lines.joined(separator: "\n") + "\n")
        } catch is BrokenPipe {
            // The check continues, since the exit code depends on all records.
        }
    }

    /// Prints the last line.
    ///
    /// - Parameter records: The number of records; nil if unknown.
    /// - Returns: The exit status: whether problems were found.
    func finish(records: Int?) throws -> ExitStatus {
        var parts: [String] = []
        if let records { parts.append(records.countedRecords) }
        parts.append(problems == 0 ? "no problems" : problems.grouped("problem"))
        if harmless > 0 { parts.append("\(harmless.grouped) harmless") }
        try write(parts.joined(separator: ", "))
        return problems == 0 ? .done : .found
    }
}

extension VerificationReport {
    /// Checks the records, besides their references, that `flatten` wrote for `nest`.
    mutating func checkDocuments(in database: any RecordDatabase) async throws {
        for try await record in database.records(ofType: DocumentRecord.recordType) {
            do {
                try DocumentRecord.check([record], of: "")
            } catch let error as InputError {
                try add(error.reason)
            }
        }
    }

    /// Checks the references of the records.
    ///
    /// - Parameters:
    ///   - roots: The records from which all records must be reachable; empty to skip this check.
    ///   - bar: Makes the progress bar of a pass over the records.
    /// - Throws: Errors of the database, `RecordError.recordNotFound` for a missing root, and errors of
    ///   the output.
    mutating func checkReferences(
        in database: any RecordDatabase, roots: [Record.ID], bar: @escaping @Sendable (String) -> ProgressBar
    ) async throws {
        let dangling = database.showing { bar("Dangling references") }
        let references = try await dangling.danglingReferences()
        let others = try await database.otherSpellings(of: references.map(\.target).uniqued())
        try add(references.map { Finding($0, meaning: others[$0.target]) })
        let owning = database.showing { bar("Owning cycles") }
        try add(try await owning.owningCycles().map { Finding(owningCycle: $0) })
        guard !roots.isEmpty else { return }
        let all = database.showing { bar("Orphans") }
        try add(try await all.orphans(reachableFrom: roots).map { Finding(orphan: $0) })
    }
}
