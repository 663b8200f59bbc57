/// How wide the columns of a table are.
struct TableLayout: Equatable {
    /// A column that has to shrink keeps at least so much of its width.
    static let minimum = 8

    /// Without a terminal, longer cells push their own row apart rather than all the others.
    static let longestPadding = 200

    /// The widths of the columns that are shown: the first ones.
    var widths: [Int]

    /// How many columns are left out at the end.
    var omitted: Int

    /// The header of the column that counts those left out.
    var mark: String { "…+\(omitted)" }

    /// Lays out columns.
    ///
    /// - Parameters:
    ///   - natural: The widths that the columns would need.
    ///   - total: The width that there is, nil for any.
    ///   - gap: The width between two columns.
    init(natural: [Int], within total: Int?, gap: Int) {
        omitted = 0
        guard let total else {
            widths = natural.map { min($0, Self.longestPadding) }
            return
        }
        // Thousands of columns are not tried one by one: more than this have no room for the gaps between them.
        var shown = gap > 0 ? min(natural.count, max(0, total) / gap + 1) : natural.count
        while shown > 0 {
            widths = Array(natural.prefix(shown))
            omitted = natural.count - shown
            let room = total - gap * (shown - 1) - (omitted > 0 ? gap + mark.count : 0)
            if widths.reduce(0, { $0 + min($1, Self.minimum) }) <= room {
                shrink(to: room)
                return
            }
            shown -= 1
        }
        // Not even the first column fits beside the mark.
        widths = natural.first.map { [min($0, max(1, total))] } ?? []
        omitted = max(0, natural.count - 1)
        let room = total - gap - mark.count
        if omitted > 0, room >= 1 { widths = widths.map { min($0, room) } } else { omitted = 0 }
    }

    /// Takes from the widest columns until all fit.
    private mutating func shrink(to room: Int) {
        guard widths.reduce(0, +) > room else { return }
        var limits = Self.minimum...(widths.max() ?? Self.minimum)
        while limits.lowerBound < limits.upperBound {
            let limit = (limits.lowerBound + limits.upperBound + 1) / 2
            let fits = widths.reduce(0) { $0 + min($1, limit) } <= room
            limits = fits ? limit...limits.upperBound : limits.lowerBound...(limit - 1)
        }
        let limit = limits.lowerBound
        var rest = room - widths.reduce(0) { $0 + min($1, limit) }
        for (index, width) in widths.enumerated() where width > limit {
            widths[index] = rest > 0 ? limit + 1 : limit
            rest -= 1
        }
    }
}
