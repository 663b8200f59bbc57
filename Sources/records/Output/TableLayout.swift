/// The column widths of a table.
struct TableLayout: Equatable {
    /// The minimum width of a shrunk column.
    static let minimum = 8

    /// The maximum padding without a terminal; a longer cell widens only its own row.
    static let longestPadding = 200

    /// The widths of the shown columns, which are the first ones.
    var widths: [Int]

    /// The number of columns left out at the end.
    var omitted: Int

    /// The header of the column that counts the omitted columns.
    var mark: String { "…+\(omitted)" }

    /// Lays out columns.
    ///
    /// - Parameters:
    ///   - total: The available width; nil for any.
    ///   - hasIDs: Whether the first column is not shrunk; it takes at most half of the width.
    init(natural: [Int], within total: Int?, gap: Int, hasIDs: Bool = false) {
        omitted = 0
        guard let total else {
            widths = natural.map { min($0, Self.longestPadding) }
            return
        }
        var natural = natural
        let own = hasIDs ? natural.first.map { min($0, total / 2) } ?? 0 : 0
        if hasIDs, !natural.isEmpty { natural[0] = own }
        // An upper bound, so that thousands of columns are not tried one by one: more have no room for their gaps.
        var shown = gap > 0 ? min(natural.count, max(0, total) / gap + 1) : natural.count
        while shown > 0 {
            widths = Array(natural.prefix(shown))
            omitted = natural.count - shown
            let room = total - gap * (shown - 1) - (omitted > 0 ? gap + mark.count : 0)
            let first = hasIDs ? 1 : 0
            if widths.dropFirst(first).reduce(own, { $0 + min($1, Self.minimum) }) <= room {
                shrink(widths.indices.dropFirst(first), to: room - own)
                return
            }
            shown -= 1
        }
        // The first column does not fit beside the mark.
        widths = natural.first.map { [min($0, max(1, total))] } ?? []
        omitted = max(0, natural.count - 1)
        let room = total - gap - mark.count
        if omitted > 0, room >= 1 { widths = widths.map { min($0, room) } } else { omitted = 0 }
    }

    /// Shrinks the widest of some columns until all fit.
    private mutating func shrink(_ columns: Range<Int>, to room: Int) {
        guard widths[columns].reduce(0, +) > room else { return }
        var limits = Self.minimum...max(Self.minimum, widths[columns].max() ?? 0)
        while limits.lowerBound < limits.upperBound {
            let limit = (limits.lowerBound + limits.upperBound + 1) / 2
            let fits = widths[columns].reduce(0) { $0 + min($1, limit) } <= room
            limits = fits ? limit...limits.upperBound : limits.lowerBound...(limit - 1)
        }
        let limit = limits.lowerBound
        var rest = room - widths[columns].reduce(0) { $0 + min($1, limit) }
        for index in columns where widths[index] > limit {
            widths[index] = rest > 0 ? limit + 1 : limit
            rest -= 1
        }
    }
}
