/// A range of the values by which an index is ordered; see ``RecordQuery/keyRanges(of:)``.
@_spi(Engines) public struct SortKeyRange: Sendable, Hashable {
    /// The least key.
    public let lower: SortKey

    /// The key after the greatest one; nil if there is no upper bound.
    public let upper: SortKey?

    package static let all = SortKeyRange(lower: SortKey(nil), upper: nil)

    package var point: SortKey? { isPoint ? lower : nil }

    /// Whether there is only one key, so that the upper bound is its `next`.
    var isPoint: Bool {
        guard let upper = upper?.bytes else { return false }
        return upper.count == lower.bytes.count + 1 && upper.last == 1 && upper.starts(with: lower.bytes)
    }

    package static func point(_ key: SortKey) -> SortKeyRange { SortKeyRange(key) }

    /// Whether a key is in the range.
    public func contains(_ key: SortKey) -> Bool { lower <= key && upper.map { key < $0 } ?? true }

    init(lower: SortKey, upper: SortKey?) {
        self.lower = lower
        self.upper = upper
    }

    init(_ point: SortKey) { self.init(lower: point, upper: point.next) }

    init(kindOf key: SortKey) {
        guard let kind = key.bytes.first else {
            self.init(key)
            return
        }
        self.init(kind: kind)
    }

    fileprivate init(kind: UInt8) {
        self.init(lower: SortKey(bound: [kind]), upper: SortKey(bound: [kind + 1]))
    }

    /// The range of the joined keys that begin with some keys, and go on with a key of this range.
    ///
    /// - Parameters:
    ///   - keys: The first keys.
    ///   - isLast: Whether no other keys follow.
    func combined(after keys: [SortKey], isLast: Bool) -> SortKeyRange {
        if keys.isEmpty, isLast { return self }
        func bound(_ key: SortKey) -> SortKey { SortKey(joining: keys + [isLast ? key : key.followed]) }
        let end = keys.isEmpty ? nil : SortKey(joining: keys + [.end])
        return SortKeyRange(lower: bound(lower), upper: upper.map(bound) ?? end)
    }

    var isEmpty: Bool { upper.map { $0 <= lower } ?? false }

    var isWithinKind: Bool {
        guard let upper, let kind = lower.bytes.first, lower.bytes.count + upper.bytes.count > 2 else { return false }
        return upper.bytes.first == kind || upper.bytes == [kind + 1]
    }
}

@_spi(Engines) extension SortKeyRange: CustomStringConvertible {
    /// The bounds as text: the least key, `..<` and the key after the greatest one.
    public var description: String { "\(lower)..<\(upper.map { "\($0)" } ?? "")" }
}

extension SortKeyRange {
    static let strings = SortKeyRange(kind: Record.Value.Kind.string.sortByte)
    static let references = SortKeyRange(kind: Record.Value.Kind.reference.sortByte)
    static let locations = SortKeyRange(kind: Record.Value.Kind.location.sortByte)
    static let lists = SortKeyRange(kind: Record.Value.Kind.list.sortByte)
    static let present = SortKeyRange(lower: SortKey(nil).next, upper: nil)

    /// The keys of all strings with a prefix, and of no others unless the prefix is about as long as the cut.
    init(prefix: String) {
        let lower = SortKey.kept(of: prefix).unicodeScalars
        var upper = lower
        while let last = upper.popLast() {
            if let next = last.next {
                upper.append(next)
                self.init(lower: .boundOfStrings(lower), upper: .boundOfStrings(upper))
                return
            }
        }
        self.init(lower: .boundOfStrings(lower), upper: SortKeyRange.strings.upper)
    }

    init(latitudesFrom south: Double, to north: Double) {
        func key(_ latitude: Double, _ end: String) -> SortKey {
            var writer = SortKeyWriter()
            writer.appendDigits(of: latitude)
            return SortKey(bound: Self.locations.lower.bytes + writer.bytes + end.utf8)
        }
        // A digit sorts before "g".
        self.init(lower: key(south, ""), upper: key(north, "g"))
    }
}

extension SortKey {
    /// The key as a bound of the keys of an index by several paths, of which other keys follow this one.
    ///
    /// Keys end with pairs of U+0001 or with none, so a single one at the end is that of ``next``. Joined keys that begin
    /// with the key before it go on with U+0001 twice.
    var followed: SortKey {
        bytes.reversed().prefix { $0 == 1 }.count.isMultiple(of: 2) ? self : SortKey(bound: bytes + [2])
    }

    /// The least text after this one that a key may be: keys have no U+0000.
    fileprivate var next: SortKey { SortKey(bound: bytes + [1]) }

    fileprivate static func boundOfStrings(_ text: Substring.UnicodeScalarView) -> SortKey {
        var writer = SortKeyWriter()
        writer.appendEscaped(Substring(text).utf8)
        return SortKey(bound: SortKeyRange.strings.lower.bytes + writer.bytes)
    }
}

extension Unicode.Scalar {
    fileprivate var next: Unicode.Scalar? { Unicode.Scalar(value + 1) ?? (value < 0xE000 ? "\u{E000}" : nil) }
}

struct SortKeyRanges: Sendable, Hashable {
    private(set) var ranges: [SortKeyRange]

    /// The maximum number of ranges, so that filters of 100,000 terms are planned quickly.
    ///
    /// More ranges are replaced by one from the least to the greatest key.
    static let mostRanges = 1_000

    static let all = SortKeyRanges([.all])

    init(_ ranges: [SortKeyRange]) {
        guard ranges.count > 1 else {
            self.ranges = ranges.first?.isEmpty == true ? [] : ranges
            return
        }
        var merged: [SortKeyRange] = []
        for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lower < $1.lower }) {
            guard let last = merged.last, last.upper.map({ range.lower <= $0 }) ?? true else {
                merged.append(range)
                continue
            }
            merged[merged.count - 1] = SortKeyRange(lower: last.lower, upper: Self.greater(last.upper, range.upper))
        }
        self.ranges = merged
    }

    var isFull: Bool { ranges.count == 1 && ranges[0].upper == nil && ranges[0].lower.bytes.isEmpty }
    var isTooLarge: Bool { ranges.count > Self.mostRanges }

    var hull: Self {
        guard let first = ranges.first, let last = ranges.last else { return self }
        return Self([SortKeyRange(lower: first.lower, upper: last.upper)])
    }

    var complement: Self {
        var gaps: [SortKeyRange] = []
        var lower: SortKey? = SortKey(nil)
        for range in ranges {
            if let lower { gaps.append(SortKeyRange(lower: lower, upper: range.lower)) }
            lower = range.upper
        }
        if let lower { gaps.append(SortKeyRange(lower: lower, upper: nil)) }
        return Self(gaps)
    }

    func common(with other: Self) -> Self {
        var common: [SortKeyRange] = []
        var (left, right) = (ranges[...], other.ranges[...])
        while let first = left.first, let second = right.first {
            common.append(
                SortKeyRange(lower: max(first.lower, second.lower), upper: Self.less(first.upper, second.upper)))
            if Self.less(first.upper, second.upper) == first.upper { left.removeFirst() } else { right.removeFirst() }
        }
        return Self(common)
    }

    private static func greater(_ left: SortKey?, _ right: SortKey?) -> SortKey? {
        guard let left, let right else { return nil }
        return max(left, right)
    }

    private static func less(_ left: SortKey?, _ right: SortKey?) -> SortKey? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
