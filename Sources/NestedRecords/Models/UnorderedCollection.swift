/// A collection whose order means nothing and changes from run to run.
///
/// It is stored in the order of its contents, so that equal values become equal records.
protocol UnorderedCollection {
    /// Whether the elements are entries, which are written as pairs where the keys are not strings.
    static var hasEntries: Bool { get }
}

extension Set: UnorderedCollection {
    static var hasEntries: Bool { false }
}

extension Dictionary: UnorderedCollection {
    static var hasEntries: Bool { true }
}
