import NestedRecords

/// The problems that were found in records, printed as they are found.
struct VerificationReport {
    /// Where they are printed.
    private let output: Output

    /// The columns that a line may take, nil for any.
    private let width: Int?

    /// Whether problems of no consequence count, too.
    private let isStrict: Bool

    /// How many problems were found, and how many more that are of no consequence.
    private(set) var problems = 0
    private(set) var harmless = 0

    /// Makes an empty report.
    init(console: Console, isStrict: Bool) {
        output = console.output
        width = console.outputTerminal.width
        self.isStrict = isStrict
    }

    /// Prints a problem on its line.
    ///
    /// - Parameters:
    ///   - text: What is wrong, and where.
    ///   - isHarmless: Whether it is of no consequence.
    /// - Throws: What the output throws.
    mutating func add(_ text: String, isHarmless: Bool = false) throws {
        if isHarmless, !isStrict { harmless += 1 } else { problems += 1 }
        try write(text)
    }

    /// Prints a line that is no problem.
    ///
    /// - Throws: What the output throws.
    func write(_ text: String) throws {
        do {
            try output.write((width.map { text.visible(within: $0) } ?? text.visible) + "\n")
        } catch is BrokenPipe {
            // The exit code is to be that of the whole check.
        }
    }

    /// Prints the last line.
    ///
    /// - Parameter records: How many records there are, nil if it is not known.
    /// - Returns: The exit status: whether something is wrong.
    /// - Throws: What the output throws.
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
    /// Finds what is wrong with what records refer to.
    ///
    /// - Parameters:
    ///   - database: The records.
    ///   - roots: Where everything is to be reached from; empty if that is not checked.
    ///   - bar: Makes the bar of a pass over the records.
    /// - Throws: What the database throws, `RecordError.recordNotFound` for a root that is not there, and what the
    ///   output throws.
    mutating func checkReferences(
        in database: any RecordDatabase, roots: [Record.ID], bar: @escaping @Sendable (String) -> ProgressBar
    ) async throws {
        let dangling = ObservedDatabase(database: database, bar: { bar("Dangling references") })
        for reference in try await dangling.danglingReferences() {
            let place = reference.context.chain.first.map { "\($0.record) .\($0.path)" } ?? "\(reference.context)"
            try add("dangling reference: \(place) → \(reference.target)")
        }
        let owning = ObservedDatabase(database: database, bar: { bar("Owning cycles") })
        for cycle in try await owning.owningCycles() { try add("owning cycle: \(cycle)") }
        guard !roots.isEmpty else { return }
        let all = ObservedDatabase(database: database, bar: { bar("Orphans") })
        for orphan in try await all.orphans(reachableFrom: roots) { try add("orphan: \(orphan)") }
    }
}
