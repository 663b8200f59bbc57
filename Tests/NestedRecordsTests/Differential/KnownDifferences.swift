import TestSupport

/// A difference from JSON that is a defect, until it is mended.
///
/// An entry without a difference makes the tests fail.
struct KnownDifference: Sendable {
    let defect: String
    let types: Set<String>

    static let all: [KnownDifference] = []

    /// Programs of container calls with a known difference.
    static let programs: [KeptPrograms.Kept] = []
}
