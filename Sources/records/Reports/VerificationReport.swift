import NestedRecords

/// Prints problems in records as they are found, and counts them.
struct VerificationReport {
    /// The stream for the problems.
    private let output: Output

    /// The maximum number of columns of a line; nil for any.
    private let width: Int?

    /// Whether problems of no consequence count, too.
    private let isStrict: Bool

    /// The number of problems, and of further problems of no consequence.
    private(set) var problems = 0
    private(set) var harmless = 0

    /// Makes an empty report.
    init(console: Console, isStrict: Bool) {
        output = console.output
        width = console.outputTerminal.width
        self.isStrict = isStrict
    }

    /// Prints a problem on a line.
    ///
    /// - Parameters:
    ///   - text: The problem and its place.
    ///   - isHarmless: Whether the problem is of no consequence.
    /// - Throws: Errors of the output.
    mutating func add(_ text: String, isHarmless: Bool = false) throws {
        if isHarmless, !isStrict { harmless += 1 } else { problems += 1 }
        try write(text)
    }

    /// Prints a line that is not a problem.
    ///
    /// - Throws: Errors of the output.
    func write(_ text: String) throws {
        do {
            try output.write((width.map { text.visible(within: $0) } ?? text.visible) + "\n")
        } catch is BrokenPipe {
            // The check continues, since the exit code depends on all records.
        }
    }

    /// Prints the last line.
    ///
    /// - Parameter records: The number of records; nil if unknown.
    /// - Returns: The exit status: whether problems were found.
    /// - Throws: Errors of the output.
    func finish(records: Int?) throws -> ExitStatus {
        var parts: [String] = []
        if let records { parts.append(records.countedRecords) }
        parts.append(problems == 0 ? "no problems" : "\(problems.grouped) \(problems == 1 ? "problem" : "problems")")
        if harmless > 0 { parts.append("\(harmless.grouped) of no consequence") }
        try write(parts.joined(separator: ", "))
        return problems == 0 ? .done : .found
    }
}

extension VerificationReport {
    /// Checks the references of the records.
    ///
    /// - Parameters:
    ///   - database: The records.
    ///   - roots: The records from which all records must be reachable; empty to skip this check.
    ///   - bar: Makes the progress bar of a pass over the records.
    /// - Throws: Errors of the database, `RecordError.recordNotFound` for a missing root, and errors of
    ///   the output.
    mutating func checkReferences(
        in database: any RecordDatabase, roots: [Record.ID], bar: @escaping @Sendable (String) -> ProgressBar
    ) async throws {
        let dangling = ObservedDatabase(database: database, bar: { bar("Dangling references") })
        for reference in try await dangling.danglingReferences() {
            let place = reference.context.chain.first.map { "\($0.record) .\($0.path)" } ?? "\(reference.context)"
            try add("dangling reference: \(place) → \(reference.target)")
        }
        let owning = ObservedDatabase(database: database, bar: { bar("Owning cycles") })
        for cycle in try await owning.owningCycles() { try add("owning cycle: \(cycle.chainText)") }
        guard !roots.isEmpty else { return }
        let all = ObservedDatabase(database: database, bar: { bar("Orphans") })
        for orphan in try await all.orphans(reachableFrom: roots) { try add("orphan: \(orphan)") }
    }
}
