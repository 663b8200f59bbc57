extension Array {
    /// The elements in slices of the given size; the last one may be shorter.
    func batches(of limit: Int) -> [ArraySlice<Element>] {
        let size = Swift.max(1, Swift.min(limit, count))
        return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
