import NestedRecords

extension RecordDatabaseRequirement {
    static let trees = [
        RecordDatabaseRequirement("finds the descendants and ancestors of records", needs: .readYourQueries) {
            database in
            try await database.saveInBatches(nodes())
            let query = RecordQuery("Sample")
            let root = try Record.ID(type: "Sample", name: "0")
            let found = try await database.descendants(of: [root], by: "up", in: query)
            let expected = (1...15).map { "\($0)@\(depth(of: $0))" }
            try expect(
                Set(found.map(\.text)) == Set(expected) && found.count == 15,
                "the descendants are \(found.map(\.text)) instead of \(expected)")
            try expect(found.map(\.depth) == found.map(\.depth).sorted(), "the descendants are not in order of depth")
            let above = try await database.ancestors(of: Record.ID(type: "Sample", name: "15"), by: "up", in: query)
            try expect(
                above.map(\.text) == ["7@1", "3@2", "1@3", "0@4"], "the ancestors of 15 are \(above.map(\.text))")

            let pruned = RecordQuery("Sample", where: .compare("number", .notEqual, 1))
            let without = try await database.descendants(of: [root], by: "up", in: pruned)
            try expect(
                Set(without.map(\.text)) == ["2@1", "5@2", "6@2", "11@3", "12@3", "13@3", "14@3"],
                "without 1 and those below it, the descendants are \(without.map(\.text))")
            let below = try await database.ancestors(of: Record.ID(type: "Sample", name: "15"), by: "up", in: pruned)
            try expect(below.map(\.text) == ["7@1", "3@2"], "the ancestors below 1 are \(below.map(\.text))")
            do {
                _ = try await database.descendants(of: [root], by: "up", in: query, atMost: 14)
                throw UnmetExpectation(explanation: "more descendants than allowed were found")
            } catch RecordError.Code.treeTooLarge {}
        },
        RecordDatabaseRequirement("finds each record of a cycle once", needs: .readYourQueries) { database in
            try await database.saveInBatches((0..<3).map { try node($0, under: ($0 + 1) % 3) })
            let start = try Record.ID(type: "Sample", name: "0")
            let below = try await database.descendants(of: [start], by: "up", in: RecordQuery("Sample"))
            try expect(below.map(\.text) == ["2@1", "1@2"], "the descendants in a cycle are \(below.map(\.text))")
            let above = try await database.ancestors(of: start, by: "up", in: RecordQuery("Sample"))
            try expect(above.map(\.text) == ["1@1", "2@2"], "the ancestors in a cycle are \(above.map(\.text))")
        },
    ]

    /// A tree in which each record refers to the one with half its number, and a record of another type.
    private static func nodes() throws -> [Record] {
        var nodes = try (1...15).map { try node($0, under: ($0 - 1) / 2) }
        nodes.append(try Record(id: Record.ID(type: "Sample", name: "0"), fields: ["number": 0]))
        nodes.append(try node(1, under: 0, type: "Other"))
        return nodes
    }

    private static func depth(of number: Int) -> Int { number == 0 ? 0 : 1 + depth(of: (number - 1) / 2) }

    /// A record with a reference, a link, or one of both that owns it.
    private static func node(_ number: Int, under parent: Int, type: String = "Sample") throws -> Record {
        let reference = Record.Reference(
            to: try Record.ID(type: "Sample", name: "\(parent)"), action: number % 4 < 2 ? .none : .deleteSelf,
            isLink: number % 2 == 0)
        return try Record(
            id: Record.ID(type: type, name: "\(number)"),
            fields: ["number": .int(Int64(number)), "up": .reference(reference)])
    }
}

extension RecordDepth {
    fileprivate var text: String { "\(id.name)@\(depth)" }
}
