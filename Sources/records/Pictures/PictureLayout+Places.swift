extension PictureLayout {
    /// Centres the members of each row at their neighbours, as far as order and size allow.
    mutating func place(_ neighbours: [[Int]]) {
        let widths = rows.map { row in row.reduce(0) { $0 + slots[$1].size.width + BoxSize.gap } }
        // Members stay within the width of the widest row: otherwise rows would drift apart.
        let reach = (widths.max() ?? 0) / 2
        for (row, width) in zip(rows, widths) {
            var x = -width / 2
            for member in row {
                slots[member].x = x + slots[member].size.width / 2
                x += slots[member].size.width + BoxSize.gap
            }
        }
        for pass in 0..<12 {
            for row in pass.isMultiple(of: 2) ? Array(rows.indices) : rows.indices.reversed() {
                align(rows[row], neighbours, reach)
            }
        }
    }

    private mutating func align(_ row: [Int], _ neighbours: [[Int]], _ reach: Double) {
        let whole = row.reduce(0) { $0 + slots[$1].size.width + BoxSize.gap }
        var before = 0.0
        let wanted = row.map { member in
            let around = neighbours[member]
            let mean = around.isEmpty ? slots[member].x : around.reduce(0) { $0 + slots[$1].x } / Double(around.count)
            let half = (slots[member].size.width + BoxSize.gap) / 2
            before += half
            defer { before += half }
            // The boxes before and after it in the row need room, too.
            return min(max(mean, before - reach), reach - whole + before)
        }
        func distance(_ index: Int) -> Double {
            (slots[row[index - 1]].size.width + slots[row[index]].size.width) / 2 + BoxSize.gap
        }
        var fromLeft = wanted
        var fromRight = wanted
        for index in row.indices.dropFirst() {
            fromLeft[index] = max(fromLeft[index], fromLeft[index - 1] + distance(index))
        }
        for index in row.indices.dropFirst().reversed() {
            fromRight[index - 1] = min(fromRight[index - 1], fromRight[index] - distance(index))
        }
        // Both keep the distances, and so does their mean.
        for (index, member) in row.enumerated() { slots[member].x = (fromLeft[index] + fromRight[index]) / 2 }
    }
}
