/// A difference from JSON that is a defect, until it is mended.
///
/// An entry without a difference makes the tests fail.
package struct KnownDifference: Sendable {
    package let defect: String
    package let types: Set<String>

    package static let all: [KnownDifference] = []

    /// Programs of container calls with a known difference.
    package static let programs: [KeptPrograms.Kept] = []
}
