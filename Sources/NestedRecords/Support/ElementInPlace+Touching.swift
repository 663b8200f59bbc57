extension ElementInPlace {
    /// The sum of two bytes of the value, one at each end: what is read so that the processor has the value at hand.
    ///
    /// Where values are elsewhere in memory each, the processor waits for each one that is looked at. Where many are touched
    /// before, it fetches them at the same time, as nothing depends on what is read: a filter of 12,500 records in memory
    /// takes 0.37 ms in place of 0.52 ms. Invariant: nothing but time depends on the sum.
    @inline(__always)
    var touched: Int {
        let bytes = UnsafeRawPointer(address)
        return Int(bytes.load(as: UInt8.self))
            &+ Int(bytes.load(fromByteOffset: max(MemoryLayout<Element>.size, 1) - 1, as: UInt8.self))
    }
}
