/// An error on its way to the caller, with the place where it first occurred.
///
/// Types see errors of nested values as they were thrown. Only the outermost call adds the place.
struct ThrownError {
    let thrownError: any Error
    let codingPath: [any CodingKey]

    /// Nil until the error leaves its record: types catch errors, and finding a place takes long.
    let place: RecordContext?

    var suffix: String { place?.recordSuffix ?? "" }

    @inline(__always)
    func isSame(as other: any Error) -> Bool { isSameError(thrownError, other) }
}
