extension Optional where Wrapped: ~Copyable {
    /// Runs the closure with the value, if there is one, and returns whether there is.
    ///
    /// To unwrap a copy, its type is looked up each time where it is not known when this is compiled. A school of 1,000 takes
    /// 6 % more instructions with that.
    @inline(__always)
    borrowing func ifPresent(_ body: (borrowing Wrapped) throws -> Void) rethrows -> Bool {
        switch self {
        case .some(let value):
            try body(value)
            return true
        case .none: return false
        }
    }
}
