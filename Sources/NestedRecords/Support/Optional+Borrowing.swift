extension Optional where Wrapped: ~Copyable {
    /// Runs the closure with the value, if any, and returns whether there is one.
    ///
    /// Unwrapping a copy of a generic type looks the type up each time, which takes 6 % more instructions for a school
    /// of 1,000.
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
