@_spi(Engines) import NestedRecords

/// A query in a message.
///
/// A filter is the list of its terms in postfix order, each a list of its name, its path and its constants. A path is a list
/// of names, or the text of an attribute, such as `@created`.
enum QueryForm {
    static func value(of query: RecordQuery) -> Record.Value {
        var map: Record.Fields = ["type": .string(query.recordType)]
        if let filter = query.filter { map = map.adding("filter", .list(filter.terms.map(value))) }
        if !query.order.isEmpty {
            map = map.adding("order", .list(query.order.map(value)))
        }
        if let limit = query.limit { map = map.adding("limit", Record.Value(limit)) }
        if let after = query.after { map = map.adding("after", .string(after.description)) }
        if let fields = query.fields { map = map.adding("fields", .list(fields.sorted().map { .string($0) })) }
        if let bytes = query.byteLimit { map = map.adding("bytes", Record.Value(bytes)) }
        return .map(map)
    }

    static func query(_ value: Record.Value) throws -> RecordQuery? {
        guard let map = value.members else { return nil }
        var query = RecordQuery(try map.text("type"))
        if let terms = try map.optional("filter", \.list) {
            guard let filter = RecordFilter(postfix: try terms.map(term)) else {
                throw MalformedMessage("the terms of the filter are not in postfix order")
            }
            query.filter = filter
        }
        query.order = try map.list("order", order)
        query.limit = try map.optional("limit", \.integer)
        query.after = try map.optional("after") { try $0.text.map { try QueryCursor(text: $0) } }
        if map["fields"] != nil { query.fields = Set(try map.list("fields", \.text)) }
        query.byteLimit = try map.optional("bytes", \.integer)
        return query
    }

    private static func value(of order: RecordOrder) -> Record.Value {
        let parts = [value(of: order.path), .bool(order.isDescending)]
        return .list(parts + (order.collation.map { [.string($0)] } ?? []))
    }

    private static func order(_ value: Record.Value) throws -> RecordOrder? {
        guard let parts = value.list, (2...3).contains(parts.count), let path = try path(parts[0]),
            let isDescending = parts[1].bool
        else { return nil }
        guard parts.count == 3 else { return RecordOrder(path, isDescending: isDescending) }
        return parts[2].text.map { RecordOrder(path, isDescending: isDescending, collation: $0) }
    }

    static func value(of path: FieldPath) -> Record.Value {
        path.names.isEmpty ? .string(path.description) : .list(path.names.map { .string($0) })
    }

    static func path(_ value: Record.Value) throws -> FieldPath? {
        if let text = value.text { return FieldPath.attributes.first { $0.description == text } }
        guard let list = value.list, !list.isEmpty else { return nil }
        let names = list.compactMap(\.text)
        return names.count == list.count ? FieldPath(names) : nil
    }

    private static func value(of differences: RecordFilter.TextDifferences) -> Record.Value {
        .list(
            RecordFilter.TextDifferences.names.filter { differences.contains($0.difference) }.map { .string($0.name) })
    }

    private static func differences(_ value: Record.Value) -> RecordFilter.TextDifferences? {
        guard let names = value.list?.map(\.text) else { return nil }
        let known = RecordFilter.TextDifferences.names.filter { names.contains($0.name) }
        return known.count == names.count ? RecordFilter.TextDifferences(known.map(\.difference)) : nil
    }

    private static func value(of term: RecordFilter.Term) -> Record.Value {
        switch term {
        case .compare(let path, let comparison, let value):
            ["compare", self.value(of: path), .string(comparison.rawValue), value]
        case .isAny(let path, let values): ["isAny", value(of: path), .list(values)]
        case .exists(let path): ["exists", value(of: path)]
        case .isNull(let path): ["isNull", value(of: path)]
        case .hasPrefix(let path, let prefix, let ignored):
            ["hasPrefix", value(of: path), .string(prefix), value(of: ignored)]
        case .containsText(let path, let text, let ignored):
            ["containsText", value(of: path), .string(text), value(of: ignored)]
        case .contains(let path, let value): ["contains", self.value(of: path), value]
        case .within(let path, let southWest, let northEast):
            ["within", value(of: path), .location(southWest), .location(northEast)]
        case .near(let path, let location, let metres):
            ["near", value(of: path), .location(location), .double(metres)]
        case .refers(let path, let type): ["refers", value(of: path), .string(type)]
        case .hasElement(let path): ["hasElement", value(of: path)]
        case .all(let count): ["all", Record.Value(count)]
        case .any(let count): ["any", Record.Value(count)]
        case .not: ["not"]
        }
    }

    private static func term(_ value: Record.Value) throws -> RecordFilter.Term {
        let parts = value.list ?? []
        let first = parts.count > 1 ? parts[1] : nil
        let path = try first.flatMap { try Self.path($0) }
        let rest = Array(parts.dropFirst(2))
        switch (parts.first?.text, path, rest.count) {
        case ("compare", let path?, 2):
            if let comparison = rest[0].text.flatMap(RecordFilter.Comparison.init) {
                return .compare(path, comparison, rest[1])
            }
        case ("isAny", let path?, 1): if let values = rest[0].list { return .isAny(path, of: values) }
        case ("exists", let path?, 0): return .exists(path)
        case ("isNull", let path?, 0): return .isNull(path)
        case ("hasPrefix", let path?, 2):
            if let prefix = rest[0].text, let ignored = differences(rest[1]) {
                return .hasPrefix(path, prefix, ignoring: ignored)
            }
        case ("containsText", let path?, 2):
            if let text = rest[0].text, let ignored = differences(rest[1]) {
                return .containsText(path, text, ignoring: ignored)
            }
        case ("contains", let path?, 1): return .contains(path, rest[0])
        case ("within", let path?, 2):
            if case .location(let southWest) = rest[0], case .location(let northEast) = rest[1] {
                return .within(path, southWest: southWest, northEast: northEast)
            }
        case ("near", let path?, 2):
            if case .location(let location) = rest[0], let metres = rest[1].double {
                return .near(path, location, metres: metres)
            }
        case ("refers", let path?, 1): if let type = rest[0].text { return .refers(path, to: type) }
        case ("hasElement", let path?, 0): return .hasElement(path)
        case ("all", _, 0): if let count = first?.integer { return .all(count) }
        case ("any", _, 0): if let count = first?.integer { return .any(count) }
        case ("not", _, 0): return .not
        default: break
        }
        throw MalformedMessage("found an unknown term of a filter, \(parts.first?.text ?? "without a name")")
    }
}

extension Record.Fields {
    func adding(_ name: String, _ value: Record.Value) -> Record.Fields {
        Record.Fields(map { ($0.name, $0.value) } + [(name, value)])
    }
}
