/// Orders the rows of a picture so that few arrows cross.
enum BarycentreOrder {
    /// Sorts each row by the positions of its neighbours, down and up a few times.
    ///
    /// - Parameters:
    ///   - rows: The members of each row, to reorder.
    ///   - passes: The number of passes down and up.
    static func sort(_ rows: inout [[Int]], neighbours: [[Int]], passes: Int) {
        var positions = [Double](repeating: 0, count: neighbours.count)
        var rowOf = [Int](repeating: 0, count: neighbours.count)
        func place(_ row: Int) {
            for (index, member) in rows[row].enumerated() {
                positions[member] = (Double(index) + 0.5) / Double(rows[row].count)
                rowOf[member] = row
            }
        }
        rows.indices.forEach(place)
        for pass in 0..<(passes * 2) {
            let goesDown = pass.isMultiple(of: 2)
            for row in goesDown ? Array(rows.indices) : rows.indices.reversed() {
                let keys = rows[row].enumerated().map { index, member in
                    let fixed = neighbours[member].filter { goesDown ? rowOf[$0] < row : rowOf[$0] > row }
                    let mean =
                        fixed.isEmpty
                        ? positions[member] : fixed.reduce(0) { $0 + positions[$1] } / Double(fixed.count)
                    return (mean, index, member)
                }
                rows[row] = keys.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
                place(row)
            }
        }
    }
}
