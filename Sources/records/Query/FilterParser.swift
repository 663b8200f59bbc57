@_spi(Engines) import NestedRecords

/// The parser of the filter language.
///
/// ```
/// filter    = operand { ( "and" | "&&" | "or" | "||" ) operand }        "and" before "or"
/// operand   = { "not" | "!" } ( "(" filter ")" | condition )
/// condition = path ( "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=" ) value
///           | path [ "not" ] "in" "(" [ value { "," value } ] ")"
///           | path [ "not" ] "between" value "and" value
///           | path [ "not" ] "like" pattern
///           | path "is" [ "not" ] "null"
///           | path "exists"
///           | path "prefix" string
///           | path "~" string
///           | path [ "not" ] "matches" pattern
///           | path "contains" value
///           | path "within" "(" location "," location ")"
///           | path "near" "(" location "," metres ")"
///           | path "refers" "to" type [ "where" "(" filter ")" ]
/// path      = step { "." step } | "@name" | "@id" | "@type" | "@created" | "@modified" | "@changeTag"
/// step      = name | "^" type
/// ```
///
/// Keywords may be in capitals.
///
/// It does not use recursion: a deeply nested filter would overflow the stack.
struct FilterParser {
    /// A parsed filter.
    struct Parsed: Sendable {
        /// The filter for the records of the type.
        let filter: RecordFilter

        /// The types and fields that occur in it.
        let names: [FieldCatalog.Name]

        /// The conditions on fields, without those that follow references.
        let conditions: [Condition]

        /// The conditions whose records must be read before, and are unknown.
        let unknown: [ReadCondition]
    }

    /// A condition as it is written.
    struct Condition: Sendable {
        /// The types of the records; none for any.
        let types: [String]

        let path: FieldPath
        let filter: RecordFilter

        /// Whether `not` is directly before it.
        let isNegated: Bool
    }

    /// An operator that lacks an operand, or a group without its end.
    fileprivate enum Open {
        case not
        case and
        case or
        case group(start: Int)
        case target(FieldPath, type: String, start: Int)
    }

    var text: FilterText

    /// The stack of types that conditions are about: of the records, then of referenced records; none for any.
    private var types: [[String]]

    /// The filters so far, which the open operators will combine.
    private var filters = FilterStack()

    private let catalog: FieldCatalog
    private let referring: [ReadCondition: [Record.Value]]

    private var open: [Open] = []
    private var names: [FieldCatalog.Name] = []
    private var conditions: [Condition] = []
    private var unknown: [ReadCondition] = []

    /// The named paths by types.
    private var named: [[String]: Set<FieldPath>] = [:]

    /// Reads a filter.
    ///
    /// - Parameters:
    ///   - types: The types of the records; unless it is one, conditions on `@type` and `@id` hold.
    ///   - catalog: Where the paths lead.
    ///   - referring: The names of the records that fulfil conditions for which records are read.
    /// - Throws: `UsageError` with the place in the text.
    static func parse(
        _ text: FilterText, ofTypes types: [String], along catalog: FieldCatalog = FieldCatalog(),
        knowing referring: [ReadCondition: [Record.Value]] = [:]
    ) throws -> Parsed {
        var parser = FilterParser(text, types, catalog, referring)
        try parser.read()
        return Parsed(
            filter: parser.filters.pop(), names: parser.names, conditions: parser.conditions,
            unknown: parser.unknown)
    }

    private init(
        _ text: FilterText, _ types: [String], _ catalog: FieldCatalog, _ referring: [ReadCondition: [Record.Value]]
    ) {
        (self.text, self.types, self.catalog, self.referring) = (text, [types], catalog, referring)
    }

    private mutating func read() throws {
        while true {
            try readOperand()
            while !(try readOperator()) {
                if open.isEmpty, text.current == nil { return }
            }
        }
    }

    /// Reads up to the end of a condition that is not a group.
    private mutating func readOperand() throws {
        while true {
            text.skipSpace()
            let start = text.position
            if text.take("(") {
                open.append(.group(start: start))
            } else if text.take(keyword: "not") || text.take(sign: "!") {
                open.append(.not)
            } else {
                guard let target = try readCondition() else { return }
                open.append(.target(target.path, type: target.type, start: target.start))
                types.append([target.type])
            }
        }
    }

    /// Reads a condition.
    ///
    /// - Returns: The reference whose target the following group filters; nil without such a group.
    private mutating func readCondition() throws -> (path: FieldPath, type: String, start: Int)? {
        if ["and", "or"].contains(text.keyword) { throw text.unexpected("a field, 'not' or '('") }
        let start = text.position
        let subject = try FilterSubject(&text)
        let (type, textOfCondition) = (type, text)
        var condition = FilterCondition(subject: subject, type: type)
        if case .path(let path) = subject {
            use(path, at: start)
            if try readPattern(at: path) { return nil }
        }
        let filter = try condition.read(from: &text)
        if let target = condition.target {
            names.append(.init([target.type], in: text, at: target.typeStart))
            if let group = target.groupStart { return (target.path, target.type, group) }
        }
        var routed: RecordFilter?
        if case .path(let path) = subject {
            if path.leadsBack {
                if condition.target != nil { throw text.error("'refers to' cannot follow a path with '^'", at: start) }
                var (text, condition) = (
                    textOfCondition, FilterCondition(subject: .path(ReadCondition.value), type: type)
                )
                let positive = try condition.read(from: &text).positive
                filters.push(self.filter(at: path, .filter(positive.filter)))
                if positive.isNegated { filters.negate() }
                return nil
            }
            if condition.target == nil {
                note(filter, at: path)
            }
            var isNegated = false
            routed = try catalog.filter(at: path, in: type) { path in
                // The same text with another subject.
                var (text, condition) = (textOfCondition, FilterCondition(subject: .path(path), type: type))
                let positive = try condition.read(from: &text).positive
                isNegated = positive.isNegated
                return positive.filter
            }
            if isNegated { routed = routed.map { .not($0) } }
            if routed == nil, path.names.count > 1 {
                let (positive, isNegated) = filter.positive
                // Null in a comparison equals a missing value, which a path does not have.
                if condition.target == nil, try positive.matches(Record(id: Record.ID(type: "A", name: "x"))) {
                    let filter: RecordFilter = .exists(path) && positive
                    routed = isNegated ? .not(filter) : filter
                }
            }
        }
        filters.push(routed ?? filter)
        return nil
    }

    /// Reads `matches` and its pattern, if they are next.
    private mutating func readPattern(at path: FieldPath) throws -> Bool {
        var rest = text
        rest.skipSpace()
        let isNegated = rest.take(keyword: "not")
        rest.skipSpace()
        guard rest.take(keyword: "matches") else { return false }
        text = rest
        let pattern = try text.pattern()
        // The hints need the kinds of the values alone.
        note(.containsText(path, pattern.text), at: path, isNegated: isNegated)
        filters.push(filter(at: path, .pattern(pattern)))
        if isNegated { filters.negate() }
        return true
    }

    /// Keeps a condition for hints.
    private mutating func note(_ filter: RecordFilter, at path: FieldPath, isNegated: Bool = false) {
        let negations = open.reversed().prefix { if case .not = $0 { true } else { false } }
        conditions.append(
            Condition(
                types: types.last ?? [], path: path, filter: filter,
                isNegated: (negations.count % 2 == 1) != isNegated))
    }

    /// The filter for the records with a value at a path that passes a test.
    private mutating func filter(at path: FieldPath, _ test: ReadCondition.Test) -> RecordFilter {
        let condition = ReadCondition(type: type ?? "", path: path, test: test)
        if let names = referring[condition] { return .isAny(.recordName, of: names) }
        unknown.append(condition)
        return .any([])
    }

    /// The type of the records that conditions are about now; nil unless it is one.
    private var type: String? { types.last.flatMap { $0.count == 1 ? $0[0] : nil } }

    private mutating func use(_ path: FieldPath, at start: Int) {
        let types = types.last ?? []
        guard !path.names.isEmpty, named[types, default: []].insert(path).inserted else { return }
        names += FieldCatalog.Name(types, path, in: text, at: start).parts
    }

    /// Reads the text after an operand.
    ///
    /// - Returns: Whether an operand must follow; false after `)` and at the end.
    private mutating func readOperator() throws -> Bool {
        text.skipSpace()
        if text.take(keyword: "and") || text.take(sign: "&&") {
            reduce { if case .or = $0 { false } else { true } }
            open.append(.and)
            return true
        }
        if text.take(keyword: "or") || text.take(sign: "||") {
            reduce { _ in true }
            open.append(.or)
            return true
        }
        guard text.current == nil || text.current == UInt8(ascii: ")") else {
            let bracket = open.contains(where: \.isGroup) ? ", ')'" : ""
            let hint = text.word == nil ? "" : "; a string of several words needs quotes"
            throw text.unexpected("'and', 'or'\(bracket) or the end\(hint)")
        }
        reduce { _ in true }
        switch (open.popLast(), text.current) {
        case (nil, nil): return false
        case (nil, _): throw text.unexpected("'and', 'or' or the end")
        case (.group(let start), nil), (.target(_, _, let start), nil):
            throw text.unexpected("the ')' for the '(' of \(text.column(of: start))")
        case (.target(let path, let target, _), _):
            types.removeLast()
            let condition = filters.pop()
            let filter = try catalog.filter(at: path, in: type) { .refers($0, to: target, where: condition) }
            filters.push(filter ?? .refers(path, to: target, where: condition))
        default: break
        }
        text.advance()
        return false
    }

    /// Appends the open operators since the last group, last first; their operands are already filters.
    private mutating func reduce(while isReduced: (Open) -> Bool) {
        while let last = open.last, !last.isGroup, isReduced(last) {
            open.removeLast()
            switch last {
            case .not: filters.negate()
            case .and: filters.combineAll(2)
            case .or: filters.combineAny(2)
            case .group, .target: break
            }
        }
    }
}

extension RecordFilter {
    /// The condition without its negation: `!=` and `not in` hold for a path if no value fulfils the opposite.
    fileprivate var positive: (filter: RecordFilter, isNegated: Bool) {
        if case .compare(let path, .notEqual, let value)? = terms.last {
            (.compare(path, .equal, value), true)
        } else if let negatedFilter {
            (negatedFilter, true)
        } else {
            (self, false)
        }
    }
}

extension FilterParser.Open {
    fileprivate var isGroup: Bool {
        switch self {
        case .group, .target: true
        case .not, .and, .or: false
        }
    }
}
