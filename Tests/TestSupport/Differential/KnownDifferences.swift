/// A difference from JSON that is a defect, until it is mended.
///
/// An entry without a difference makes the tests fail.
package struct KnownDifference: Sendable {
    package let defect: String
    package let types: Set<String>

    package static let all = [
        KnownDifference(
            defect:
                "a date that is read from a decoder is not found by a type that throws an error of its own without it",
            types: ["date, or an error of its own"]),
    ]

    /// Programs of container calls with a known difference.
    package static let programs: [KeptPrograms.Kept] = []
}
