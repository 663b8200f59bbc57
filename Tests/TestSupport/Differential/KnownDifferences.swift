/// A difference from JSON that is a defect, until it is mended.
///
/// An entry without a difference makes the tests fail.
package struct KnownDifference: Sendable {
    package let defect: String
    package let types: Set<String>

    package static let all = [
        KnownDifference(
            defect: "a reference is not read as a dictionary of the record's fields",
            types: ["record read as a dictionary"]),
        KnownDifference(
            defect: "a reference is not read as an array of the record's elements",
            types: ["record read as an array"]),
        KnownDifference(
            defect:
                "a date that is read from a decoder is not found by a type that throws an error of its own without it",
            types: ["date, or an error of its own"]),
    ]

    /// Programs of container calls with a known difference.
    package static let programs = [
        KeptPrograms.Kept(
            about: "a reference is not read as a dictionary",
            text: "00d40000f900000000e197c727000000000000000000320000000689"),
        KeptPrograms.Kept(
            about: "a string behind a reference that is no UUID is of another kind, not corrupted",
            text:
                "00000000cb000000000000000000000000340000000000000000000000000000000000000000000035afd400009200f9000000"
                + "00ebc3000000000000000000000080"),
    ]
}
