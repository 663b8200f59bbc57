/// Comparisons and figures that belong together.
struct Section: Sendable, Encodable {
    /// A single number.
    struct Figure: Sendable, Encodable {
        let name: String
        let value: Double
        let unit: String
        var limit: Limit?
    }

    /// The name of the section, one word.
    let name: String

    let title: String

    /// Whether to show the time of one piece of work instead of a round.
    var isPerPiece = false

    var comparisons: [Comparison] = []
    var figures: [Figure] = []

    /// Further notes, such as omissions.
    var notes: [String] = []

    init(_ name: String, _ title: String, isPerPiece: Bool = false) {
        self.name = name
        self.title = title
        self.isPerPiece = isPerPiece
    }

    mutating func add(_ name: String, _ value: Double, _ unit: String, atMost limit: Double? = nil) {
        add(name, value, unit, limit.map(Limit.atMost))
    }

    mutating func add(_ name: String, _ value: Double, _ unit: String, _ limit: Limit?) {
        figures.append(Figure(name: name, value: value, unit: unit, limit: limit))
    }
}

extension Section: CustomStringConvertible {
    /// Tables for a terminal.
    var description: String {
        var text = "\n\(title)\n"
        if !comparisons.isEmpty { text += table }
        if !figures.isEmpty {
            let rows = figures.map { figure in
                [figure.name, "\(figure.value.threeDigits) \(figure.unit)", figure.limit?.verdict(figure.value) ?? ""]
            }
            text += TextTable(header: ["figure", "value", "target"], rows: rows).description
        }
        return text + notes.map { "\($0)\n" }.joined()
    }

    private var table: String {
        let names = comparisons.flatMap { $0.seconds.map(\.name) }.uniqued()
        let titles = comparisons.flatMap { $0.targets.map(\.title) }.uniqued()
        let rows = comparisons.map { comparison in
            let divisor = isPerPiece ? Double(comparison.count) : 1
            let times = names.map { comparison[$0].map { ($0 / divisor).asTime } ?? "" }
            let ratios = titles.map { title -> String in
                guard let target = comparison.targets.first(where: { $0.title == title }),
                    let ratio = comparison.ratio(target)
                else { return "" }
                return target.limit.map { "\(ratio.threeDigits) (\($0))" } ?? ratio.threeDigits
            }
            return [[comparison.task], times, ratios].flatMap { $0 }
        }
        return TextTable(header: [["task"], names, titles].flatMap { $0 }, rows: rows).description
    }
}

extension Limit {
    func verdict(_ value: Double) -> String { "\(self) \(isMet(by: value) ? "met" : "MISSED")" }
}

extension Sequence where Element: Hashable {
    /// The distinct elements, in the order of their first occurrence.
    func uniqued() -> [Element] {
        var met: Set<Element> = []
        return filter { met.insert($0).inserted }
    }
}
