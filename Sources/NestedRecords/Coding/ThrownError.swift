/// An error on its way to the caller, with where it was met first.
///
/// Types see errors of the values in them as they were thrown. Only the outermost call tells the place.
struct ThrownError {
    let thrownError: any Error
    let codingPath: [any CodingKey]

    /// Nil as long as the error has not left its record: types catch errors, and a place takes long to tell.
    let place: RecordContext?

    /// The record and the way to it, for the description of the error.
    var suffix: String { place?.recordSuffix ?? "" }

    /// Whether an error is this one, thrown again.
    @inline(__always)
    func isSame(as other: any Error) -> Bool { isSameError(thrownError, other) }
}
