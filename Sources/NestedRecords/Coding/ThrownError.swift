/// An error on its way to the caller, with the place where it was met first.
///
/// Types see errors of the values in them as they were thrown. Only the outermost call tells the place.
struct ThrownError {
    let thrownError: any Error
    let place: RecordContext

    /// Whether an error is this one, thrown again.
    @inline(__always)
    func isSame(as other: any Error) -> Bool { isSameError(thrownError, other) }
}
