extension Sequence where Element: Hashable {
    /// The elements without duplicates, in the order of first occurrence.
    func uniqued() -> [Element] {
        var met: Set<Element> = []
        return filter { met.insert($0).inserted }
    }
}

extension Array {
    /// The elements in slices of a size; the last slice may be smaller.
    func portions(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: Swift.max(1, size)).map { self[$0..<Swift.min($0 + Swift.max(1, size), count)] }
    }
}
