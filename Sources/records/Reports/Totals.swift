/// Named numbers below each other, the numbers aligned at their right.
struct Totals {
    private var rows: [(name: String, number: String)] = []

    /// Adds a number.
    mutating func add(_ name: String, _ number: Int) {
        rows.append((name, number.grouped))
    }

    /// The lines.
    var text: String {
        let names = rows.map(\.name.count).max() ?? 0
        let numbers = rows.map(\.number.count).max() ?? 0
        return rows.map { row in
            let gap = names - row.name.count + 2 + numbers - row.number.count
            return row.name + String(repeating: " ", count: gap) + row.number + "\n"
        }.joined()
    }
}
