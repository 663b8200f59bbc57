/// The types of keys with which the records of a value were written, by record type.
///
/// A Swift type reads with the keys that it writes with. So its first decoding knows which references it follows, if
/// it was encoded before: otherwise each list that is beside others takes calls of its own, since decoding ends at the
/// first record that is not there.
struct EncodedTypes: Sendable {
    private(set) var keys: [String: [KeyTest]] = [:]

    /// The greatest number of Swift types in a call that was noted.
    var typeCount = 0

    mutating func insert(_ test: KeyTest, of recordType: String) {
        guard !keys[recordType, default: []].contains(where: test.isSame) else { return }
        keys[recordType, default: []].append(test)
    }

    // What a type writes depends on the names that its keys become. Two strategies are known to be the same always.
    private static let unchanged = TypeCache<EncodedTypes>()
    private static let snakeCase = TypeCache<EncodedTypes>()

    /// What encodings have told so far, by the type of their roots; nil for names of which nothing is kept.
    static func known(for strategy: KeyStrategy) -> TypeCache<EncodedTypes>? {
        switch strategy.kind {
        case .unchanged: unchanged
        case .snakeCase: snakeCase
        case .custom: nil
        }
    }
}
