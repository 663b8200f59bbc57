import NestedRecords

extension RecordDatabaseRequirement {
    static let listing = [
        RecordDatabaseRequirement("lists every record once", needs: .readYourQueries) { database in
            let records = try await fill(database)
            try await expectListed(records, by: database.records(ofType: nil))
        },
        RecordDatabaseRequirement("lists the records of a type and no others", needs: .readYourQueries) { database in
            let records = try await fill(database)
            for type in ["A", "AB", "a"] {
                try await expectListed(records.filter { $0.id.type == type }, by: database.records(ofType: type))
            }
            try await expectListed([], by: database.records(ofType: "Absent"))
        },
        RecordDatabaseRequirement("lists its records repeatedly", needs: .readYourQueries) { database in
            let records = try await fill(database)
            let sequence = database.records(ofType: nil)
            for _ in 1...2 { try await expectListed(records, by: sequence) }
            let sequenceOfType = database.records(ofType: "A")
            let ofType = records.filter { $0.id.type == "A" }  // Characters: all of the type
            for _ in 1...2 { try await expectListed(ofType, by: sequenceOfType) }
        },
        RecordDatabaseRequirement("lists records with their fields and metadata") { database in
            let record = try await database.saved(Record.sample("a"))
            for try await found in database.records(ofType: nil) {
                try expect(found == record, "the list has another version of \(found.id) than was saved")
            }
        },
        RecordDatabaseRequirement(
            "lists no record that was deleted and none twice that was saved again", needs: .readYourQueries
        ) { database in
            let gone = try await database.saved(Record.sample("gone"))
            let kept = try await database.saved(Record.sample("kept"))
            try await database.delete(gone.id)
            let again = try await database.saved(kept.with(text: "second"))
            try await expectListed([again], by: database.records(ofType: nil))
        },
        RecordDatabaseRequirement("lists the versions of a type in pages", needs: .readYourQueries) { database in
            let names = ["Z", "a", "a b", "b", "é", "\u{FFFD}", "😀", "10", "9"]
            let records = try names.map { try Record.sample($0, type: "A") }
            try await database.saveInBatches(records + [Record.sample("0", type: "AB")])
            try await database.delete(Record.ID(type: "A", name: "b"))
            var tags: [Record.ID: RecordBatch.Version] = [:]
            for try await record in database.records(ofType: "A") { tags[record.id] = RecordBatch.Version(of: record) }
            for limit in [1, 3, 8, 100] {
                var listed: [RecordBatch.VersionedID] = []
                while true {
                    let page = try await database.versions(ofType: "A", after: listed.last?.id.name, limit: limit)
                    try expect(page.count <= limit, "a page of \(limit) versions has \(page.count)")
                    listed += page
                    if page.count < limit { break }
                    try expect(listed.count <= names.count, "versions are listed twice")
                }
                try expect(
                    listed.count == tags.count && listed.allSatisfy { tags[$0.id] == $0.version },
                    "the versions in pages of \(limit) are \(listed), and the records have \(tags)")
                if database.capabilities.contains(.orderedVersions) {
                    let order = listed.map { Array($0.id.name.utf8) }
                    try expect(
                        zip(order, order.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) },
                        "the versions are not in the order of their names: \(listed.map(\.id.name))")
                }
            }
            do {
                _ = try await database.versions(ofType: "A", after: nil, limit: -1)
                try expect(false, "a page of -1 versions was not refused")
            } catch RecordError.Code.invalidLimit {}
            // A deleted record is a position too.
            let rest = try await database.versions(ofType: "A", after: "b", limit: 100)
            if database.capabilities.contains(.orderedVersions) {
                try expect(rest.map(\.id.name) == ["é", "\u{FFFD}", "😀"], "after 'b' follow \(rest.map(\.id.name))")
            }
        },
    ]

    private static func fill(_ database: any RecordDatabase) async throws -> [Record] {
        let records = try ["A", "AB", "a"].flatMap { type in
            try (0..<20).map { try Record.sample("\($0)", type: type) }
        }
        try await database.saveInBatches(records)
        return records
    }

    private static func expectListed(_ records: [Record], by sequence: RecordSequence) async throws {
        var missing = Set(records.map(\.id))
        var seen: Set<Record.ID> = []
        for try await record in sequence {
            try expect(seen.insert(record.id).inserted, "\(record.id) is listed twice")
            try expect(missing.remove(record.id) != nil, "\(record.id) is listed, but does not belong there")
        }
        try expect(missing.isEmpty, "\(missing.count) of \(records.count) records are not listed")
    }
}
