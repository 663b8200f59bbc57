struct FilterRanges: Sendable {
    private(set) var keys: SortKeyRanges
    private(set) var isExact: Bool
    static let unknown = FilterRanges([.all], isExact: false)

    private init(_ keys: SortKeyRanges, isExact: Bool) {
        // More ranges than a database should read one by one.
        (self.keys, self.isExact) = keys.isTooLarge ? (keys.hull, false) : (keys, isExact)
    }

    private init(_ ranges: [SortKeyRange], isExact: Bool) { self.init(SortKeyRanges(ranges), isExact: isExact) }

    init(of part: RecordFilterPart, by path: FieldPath) {
        guard let filter = part.filter else {
            self.init([.all], isExact: true)
            return
        }
        if part.range.count == 1, let first = part.range.first {
            self.init(of: filter.terms[first], by: path)
            return
        }
        // A filter may be nested more deeply than a stack allows.
        var open: [FilterRanges] = []
        for position in part.range {
            let term = filter.terms[position]
            let operands = open.suffix(term.operandCount)
            let ranges: FilterRanges =
                switch term {
                case .all: operands.reduce(FilterRanges([.all], isExact: true)) { $0.common(with: $1) }
                case .any: FilterRanges(operands.flatMap(\.keys.ranges), isExact: operands.allSatisfy(\.isExact))
                case .not: operands.first?.complement ?? .unknown
                // The operand is about other records.
                case .refers(path, _): FilterRanges(leadingTo: part.targets[position])
                default: FilterRanges(of: term, by: path)
                }
            open.removeLast(operands.count)
            open.append(ranges)
        }
        self = open.last ?? .unknown
    }

    private var complement: FilterRanges { isExact ? FilterRanges(keys.complement, isExact: true) : .unknown }

    func common(with other: Self) -> FilterRanges {
        FilterRanges(keys.common(with: other.keys), isExact: isExact && other.isExact)
    }

    /// The ranges of references to records, and of the lists that may contain such references.
    private init(leadingTo targets: Set<Record.ID>?) {
        let references =
            targets.map { $0.map { SortKeyRange(SortKey(.reference(Record.Reference(to: $0)))) } } ?? [.references]
        let areMany = references.count >= SortKeyRanges.mostRanges
        self.init((areMany ? [.references] : references) + [.lists], isExact: false)
    }

    /// What a term without operands allows.
    private init(of term: RecordFilter.Term, by path: FieldPath) {
        switch term {
        case .all: self.init([.all], isExact: true)
        case .any: self.init([], isExact: true)
        case .compare(path, let comparison, let value): self.init(comparison, Operand(value))
        case .isAny(path, let values):
            let operands = values.map { Operand($0) }
            // The keys of long values are cut, so the values themselves are compared.
            self.init(
                operands.map { $0.isAmbiguous ? SortKeyRange(kindOf: $0.key) : SortKeyRange($0.key) },
                isExact: operands.allSatisfy(\.hasOwnKey))
        case .exists(path): self.init([.present], isExact: true)
        case .isNull(path): self.init([SortKeyRange(SortKey(.null))], isExact: true)
        case .hasPrefix(path, let prefix, []):
            // A long string is cut at most three bytes before the maximum length.
            self.init([SortKeyRange(prefix: prefix)], isExact: prefix.utf8.count < SortKey.longest - 3)
        case .hasPrefix(path, _, _), .containsText(path, _, _): self.init([.strings], isExact: false)
        case .contains(path, _), .hasElement(path): self.init([.lists], isExact: false)
        case .within(path, let southWest, let northEast):
            let latitudes = SortKeyRange(latitudesFrom: southWest.latitude, to: northEast.latitude)
            self.init([.strings, latitudes], isExact: false)
        case .near(path, let center, let metres):
            self.init([.strings, SortKeyRange(within: metres, of: center)], isExact: false)
        default: self = .unknown
        }
    }

    private init(_ comparison: RecordFilter.Comparison, _ operand: Operand) {
        let point = SortKeyRange(operand.key)
        let kind = SortKeyRange(kindOf: operand.key)
        switch comparison {
        case .equal: self.init([point], isExact: operand.hasOwnKey)
        case .notEqual: self = Self([point], isExact: operand.hasOwnKey).complement
        case .less: self.init([SortKeyRange(lower: kind.lower, upper: point.lower)], isExact: true)
        case .atMost: self.init([SortKeyRange(lower: kind.lower, upper: point.upper)], isExact: true)
        case .greater:
            self.init([SortKeyRange(lower: point.upper ?? point.lower, upper: kind.upper)], isExact: true)
        case .atLeast: self.init([SortKeyRange(lower: point.lower, upper: kind.upper)], isExact: true)
        }
    }
}

extension Operand {
    /// Whether only values that are equal to this one have its key: different decimal numbers may have the same key.
    fileprivate var hasOwnKey: Bool { !isAmbiguous && value.kind.hasOwnKey }
}

extension SortKeyRange {
    fileprivate init(within metres: Double, of center: Location) {
        // A degree of latitude has more than 111 km; the error of the computed distance is less than a metre.
        let degrees = metres / 111_000 + 0.000_1
        guard degrees.isFinite else {
            self = .locations
            return
        }
        self.init(latitudesFrom: center.latitude - degrees, to: center.latitude + degrees)
    }
}
