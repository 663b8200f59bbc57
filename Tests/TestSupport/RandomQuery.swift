import Foundation
package import NestedRecords

/// Makes records of few types and fields with values of every kind, and queries for them.
package struct RandomQuery {
    private var random: RandomRecord

    /// Assets that values may be, whose contents the database has.
    package var assets: [RecordAsset] = []

    package init(seed: UInt64) { random = RandomRecord(seed: seed) }

    private static let types = ["Book", "Shelf", "Room"]
    private static let names = ["a", "b", "e\u{301}", "c"]

    private mutating func id() throws -> Record.ID {
        try Record.ID(
            type: random.generator.pick(Self.types), name: String(Int.random(in: 0..<20, using: &random.generator)))
    }

    private mutating func value() throws -> Record.Value {
        if !assets.isEmpty, random.generator.chance(oneIn: 6) { return .asset(random.generator.pick(assets)) }
        return switch Int.random(in: 0..<8, using: &random.generator) {
        case 0: try random.value(depth: 2)
        case 1:
            .reference(
                Record.Reference(to: try id(), action: random.generator.pick([.none, .deleteSelf]), isLink: true))
        case 2: .map(["a": try random.value(depth: 0), "x": .map(["b": .reference(Record.Reference(to: try id()))])])
        case 3:
            .list([
                try random.value(depth: 0), 1, .reference(Record.Reference(to: try id())),
                .map(["a": try random.value(depth: 0), "b": .list([.map(["a": 1])])]),
            ])
        case 4:
            .string(
                String(repeating: random.generator.pick(["x", "xy"]), count: random.generator.pick([1, 240, 700])))
        case 5: .location(try Location(latitude: .random(in: 0...9, using: &random.generator), longitude: 1))
        default: random.generator.pick([1, 2, .double(1), .double(1.5), "a", "b", "4;1", true, .null])
        }
    }

    /// Records with different IDs, of which some have no fields.
    package mutating func records() throws -> [Record] {
        try Self.types.flatMap { type in
            try (0..<Int.random(in: 0...20, using: &random.generator)).map { number in
                var fields = Record.Fields()
                for name in Self.names where !random.generator.chance(oneIn: 3) { fields[name] = try value() }
                return try Record(id: Record.ID(type: type, name: "\(number)"), fields: fields)
            }
        }
    }

    package mutating func ids() throws -> [Record.ID] { Array(Set(try (0..<3).map { _ in try id() })) }

    private mutating func path() -> FieldPath {
        random.generator.pick([
            "a", "b", "c", "a.a", "b.x.b", "c.latitude", "é", "none", .recordName, .modificationDate, .changeTag,
            FieldPath([]), "a.x", .creationDate,
        ])
    }

    private mutating func differences() -> RecordFilter.TextDifferences {
        random.generator.pick([[], .case, .accents, [.case, .accents]])
    }

    private mutating func filter(depth: Int) throws -> RecordFilter {
        let path = path()
        switch Int.random(in: depth == 0 ? 5...14 : 0...14, using: &random.generator) {
        case 0: return try .all((0..<random.generator.pick([0, 1, 2, 3])).map { _ in try filter(depth: depth - 1) })
        case 1: return try .any((0..<random.generator.pick([0, 1, 2, 3])).map { _ in try filter(depth: depth - 1) })
        case 2: return try .not(filter(depth: depth - 1))
        case 3: return try .refers(path, to: random.generator.pick(Self.types), where: filter(depth: depth - 1))
        case 4: return .hasElement(path, where: try filter(depth: depth - 1))
        case 5: return .exists(path)
        case 6: return .isNull(path)
        case 7: return .isAny(path, of: [try value(), try value(), 1, "a"])
        case 8: return .contains(path, try value())
        case 9: return .hasPrefix(path, random.generator.pick(["", "x", "a", "É"]), ignoring: differences())
        case 10: return .containsText(path, random.generator.pick(["", "X", "yx", "é"]), ignoring: differences())
        case 11:
            return .within(
                path, southWest: try Location(latitude: 0, longitude: 0),
                northEast: try Location(latitude: 5, longitude: 2))
        case 12: return .near(path, try Location(latitude: 4, longitude: 1), metres: 200_000)
        default: return .compare(path, random.generator.pick(RecordFilter.Comparison.allCases), try value())
        }
    }

    /// Indexes by several paths, the same for each type.
    package static let joinedIndexes = types.flatMap { type in
        [
            FieldIndex(type, by: "a", "b"), FieldIndex(type, by: "b", "a", "c"),
            FieldIndex(type, by: "c", .modificationDate),
            FieldIndex(type, by: "b", .recordName),
        ]
    }

    /// A query, or one for which an index by several paths is made.
    package mutating func anyQuery() throws -> RecordQuery {
        random.generator.chance(oneIn: 2) ? try query() : try joinedQuery()
    }

    /// A query, perhaps for some fields or with a limit of bytes.
    package mutating func anyPageQuery() throws -> RecordQuery {
        var query = try anyQuery()
        query.fields = random.generator.pick([nil, nil, [], ["a"], ["b", "é", "none"]])
        query.byteLimit = random.generator.pick([nil, nil, 0, 40, 300, 2_000])
        return query
    }

    /// Equalities of the first paths of an index, perhaps a comparison of the next, and perhaps the order of the rest.
    private mutating func joinedQuery() throws -> RecordQuery {
        let index = random.generator.pick(Self.joinedIndexes)
        var query = RecordQuery(index.recordType)
        var (paths, filters) = (index.paths[...], [RecordFilter]())
        while let path = paths.first, random.generator.chance(oneIn: 2) {
            filters.append(.compare(path, .equal, random.generator.pick([1, 2, "a", "b", true, "xy"])))
            paths.removeFirst()
        }
        if let path = paths.first, !random.generator.chance(oneIn: 3) {
            filters.append(
                random.generator.chance(oneIn: 3)
                    ? try filter(depth: 1)
                    : .compare(path, random.generator.pick(RecordFilter.Comparison.allCases), try value()))
        }
        if random.generator.chance(oneIn: 4) { filters.append(try filter(depth: 0)) }
        query.filter = filters.isEmpty ? nil : .all(filters.shuffled(using: &random.generator))
        let isDescending = random.generator.chance(oneIn: 2)
        query.order = random.generator.pick([index.paths[...], paths, paths, paths.prefix(1)]).map {
            RecordOrder($0, isDescending: isDescending, collation: random.generator.pick([nil, nil, nil, "sv"]))
        }
        query.limit = random.generator.pick([nil, 0, 1, 3, 10])
        return query
    }

    package mutating func query() throws -> RecordQuery {
        var query = RecordQuery(random.generator.pick(Self.types + ["None"]))
        if !random.generator.chance(oneIn: 5) { query.filter = try filter(depth: 3) }
        query.order = (0..<random.generator.pick([0, 1, 2])).map { _ in
            RecordOrder(
                path(), isDescending: random.generator.chance(oneIn: 2),
                collation: random.generator.pick([nil, nil, nil, "sv"]))
        }
        query.limit = random.generator.pick([nil, 0, 1, 3, 10])
        return query
    }
}

extension RecordQuery {
    /// Whether this reads one of these.
    package func names(_ paths: [FieldPath]) -> Bool {
        let text = "\(filter.map(\.description) ?? "") \(order.map(\.path.description))"
        return paths.contains { text.contains($0.description) }
    }
}
