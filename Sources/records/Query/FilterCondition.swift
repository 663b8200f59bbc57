import NestedRecords

/// A condition after its subject: `= 5`, `in (1, 2)`, `refers to Author`.
struct FilterCondition {
    /// The target of a condition on referenced records.
    struct Target {
        let path: FieldPath
        let type: String
        let typeStart: Int

        /// The start of the group with the filter for the referenced record; nil without a group.
        let groupStart: Int?
    }

    static let words = [
        "in", "is", "exists", "prefix", "contains", "within", "near", "refers", "between", "like", "matches",
    ]
    private static let expected =
        "=, !=, <, <=, >, >=, ~, in, between, like, matches, is null, is not null, exists, prefix, contains, within, near "
        + "or refers to"

    let subject: FilterSubject

    /// The type of the records; nil if unknown.
    let type: String?

    /// The target, if the condition follows a reference; set by ``read(from:)``.
    private(set) var target: Target?

    init(subject: FilterSubject, type: String?) { (self.subject, self.type) = (subject, type) }

    /// Reads the condition; if it follows a reference, only up to the group.
    mutating func read(from text: inout FilterText) throws -> RecordFilter {
        text.skipSpace()
        switch subject {
        case .path(let path): return try filter(of: path, &text)
        case .type: return try filterOfType(&text)
        case .id: return try filterOfID(&text)
        }
    }

    private mutating func filter(of path: FieldPath, _ text: inout FilterText) throws -> RecordFilter {
        if let comparison = text.takeComparison() { return .compare(path, comparison, try text.value(of: path)) }
        if text.take("~") { return .containsText(path, try text.text(), ignoring: .case) }
        let (start, word) = (text.position, text.keyword)
        if let word { text.take(word: word) }
        switch word {
        case "in": return .isAny(path, of: try text.list { try $0.value(of: path) })
        case "not":
            text.skipSpace()
            guard ["in", "between", "like"].contains(text.keyword) else {
                throw text.unexpected("'in', 'between' or 'like'")
            }
            return .not(try filter(of: path, &text))
        case "between":
            let least = try text.value(of: path)
            text.skipSpace()
            guard text.take(keyword: "and") else { throw text.unexpected("'and' and the greatest value") }
            return .compare(path, .atLeast, least) && .compare(path, .atMost, try text.value(of: path))
        case "like": return try like(path, &text)
        case "exists": return .exists(path)
        case "prefix": return .hasPrefix(path, try text.text())
        case "is":
            text.skipSpace()
            let isNegated = text.take(keyword: "not")
            text.skipSpace()
            guard text.take(keyword: "null") else { throw text.unexpected("'null' or 'not null'") }
            return isNegated ? .exists(path) && .not(.isNull(path)) : .isNull(path)
        case "contains":
            text.skipSpace()
            let word = text.word
            let value = try text.value(of: path)
            // The field is a string or a list: the word is a part of the string as written, or an element of the list.
            let part = if case .string(let text) = value { text } else { word }
            guard let part else { return .contains(path, value) }
            return .contains(path, value) || .containsText(path, part)
        case "within":
            try text.expect("(")
            let southWest = try text.location()
            try text.expect(",")
            let northEast = try text.location()
            try text.expect(")")
            return .within(path, southWest: southWest, northEast: northEast)
        case "near":
            try text.expect("(")
            let centre = try text.location()
            try text.expect(",")
            let metres = try text.number()
            try text.expect(")")
            return .near(path, centre, metres: metres)
        case "refers": return try reference(at: path, &text)
        case "matches": throw text.error("'matches' follows a field or @name", at: start)
        default:
            throw text.unexpected(Self.expected + Spelling.question(word ?? "", in: Self.words), at: start)
        }
    }

    /// A pattern of SQL: a string, the beginning of one, or a part.
    private func like(_ path: FieldPath, _ text: inout FilterText) throws -> RecordFilter {
        text.skipSpace()
        let start = text.position
        let pattern = try text.text().utf8
        let sign = UInt8(ascii: "%")
        let isOpen = (pattern.first == sign, pattern.last == sign)
        let inner = pattern.dropFirst(isOpen.0 ? 1 : 0).dropLast(isOpen.1 ? 1 : 0)
        let string = String(decoding: inner, as: UTF8.self)
        switch isOpen {
        case _ where inner.isEmpty || inner.contains(sign) || inner.contains(UInt8(ascii: "_")), (true, false):
            throw text.unexpected("a pattern 'text', 'text%' or '%text%'", at: start)
        case (true, true): return .containsText(path, string)
        case (false, true): return .hasPrefix(path, string)
        case (false, false): return .compare(path, .equal, .string(string))
        }
    }

    private mutating func reference(at path: FieldPath, _ text: inout FilterText) throws -> RecordFilter {
        text.skipSpace()
        guard text.take(keyword: "to") else { throw text.unexpected("'to'") }
        text.skipSpace()
        let start = text.position
        guard let type = text.word, (try? Record.ID(type: type, name: "x")) != nil else {
            throw text.unexpected("the type of a record")
        }
        text.take(word: type)
        text.skipSpace()
        var group: Int?
        if text.take(keyword: "where") {
            text.skipSpace()
            group = text.position
            guard text.take("(") else { throw text.unexpected("'('") }
        }
        target = Target(path: path, type: type, typeStart: start, groupStart: group)
        return .refers(path, to: type)
    }
}

// MARK: Types and IDs

extension FilterCondition {
    /// A filter that matches all records or none.
    private static func constant(_ isTrue: Bool) -> RecordFilter { isTrue ? .all([]) : .any([]) }

    private mutating func filterOfType(_ text: inout FilterText) throws -> RecordFilter {
        let (start, path) = (text.position, FieldPath(["type"]))
        let filter = try filter(of: path, &text)
        if target != nil { throw text.unexpected("a comparison of the type", at: start) }
        guard let type else { return Self.constant(true) }
        // All records of a query have one type, so one sample is enough.
        let sample = try Record(id: Record.ID(type: type, name: "x"), fields: ["type": .string(type)])
        return Self.constant(try filter.matches(sample))
    }

    private func filterOfID(_ text: inout FilterText) throws -> RecordFilter {
        if text.take("!=") { return .not(isAny(of: [try text.id()])) }
        if text.take("=") { return isAny(of: [try text.id()]) }
        guard text.take(keyword: "in") else { throw text.unexpected("=, != or in after @id") }
        return isAny(of: try text.list { try $0.id() })
    }

    private func isAny(of ids: [Record.ID]) -> RecordFilter {
        guard let type else { return Self.constant(true) }
        return .isAny(.recordName, of: ids.filter { $0.type == type }.map { .string($0.name) })
    }
}

extension FilterText {
    /// Consumes a comparison operator.
    fileprivate mutating func takeComparison() -> RecordFilter.Comparison? {
        if take("==") { return .equal }
        if take("<>") { return .notEqual }
        // Longer operators first: `<=` begins with `<`.
        for comparison in [RecordFilter.Comparison.notEqual, .atMost, .atLeast, .equal, .less, .greater]
        where take(comparison.rawValue) {
            return comparison
        }
        return nil
    }

    /// Reads a value to compare with; a string or a date for a path that has only strings or dates.
    fileprivate mutating func value(of path: FieldPath) throws -> Record.Value {
        switch path {
        case .recordName, .changeTag: .string(try text())
        case .creationDate, .modificationDate: .date(try date())
        default: try value()
        }
    }

    /// Reads elements in parentheses, separated by commas.
    fileprivate mutating func list<Element>(_ element: (inout FilterText) throws -> Element) throws -> [Element] {
        try expect("(")
        var elements: [Element] = []
        skipSpace()
        if take(")") { return elements }
        while true {
            elements.append(try element(&self))
            skipSpace()
            if take(")") { return elements }
            guard take(",") else { throw unexpected("',' or ')'") }
        }
    }

    fileprivate mutating func id() throws -> Record.ID {
        skipSpace()
        let start = position
        let value = try value()
        if case .reference(let reference) = value { return reference.id }
        if case .string(let text) = value, let id = try? Record.ID(text) { return id }
        throw unexpected("an ID such as Person/ada", at: start)
    }
}
