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
    enum Open {
        case not
        case and
        case or
        case group(start: Int)
        case target(FieldPath, type: String, start: Int)
    }

    var text: FilterText

    /// The stack of types that conditions are about: of the records, then of referenced records; none for any.
    var types: [[String]]

    /// The filters so far, which the open operators will combine.
    var filters = FilterStack()

    let catalog: FieldCatalog
    let referring: [ReadCondition: [Record.Value]]

    var open: [Open] = []
    var names: [FieldCatalog.Name] = []
    var conditions: [Condition] = []
    var unknown: [ReadCondition] = []

    /// The named paths by types.
    var named: [[String]: Set<FieldPath>] = [:]

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

    mutating func read() throws {
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

extension FilterParser.Open {
    fileprivate var isGroup: Bool {
        switch self {
        case .group, .target: true
        case .not, .and, .or: false
        }
    }
}
