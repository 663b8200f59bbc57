import NestedRecords

extension RecordDatabaseRequirement {
    /// The deletions depend on the lists of the database, so these requirements are about both.
    static let cascades = [
        cascade("lets a chain of owned records be deleted with the first", deleting: "1", leaving: ["other"]) {
            try [part("1"), part("2", of: ["1"]), part("3", of: ["2"]), part("4", of: ["3"]), part("other")]
        },
        cascade("lets a record that is owned twice be deleted once", deleting: "top", leaving: ["other"]) {
            try [
                part("bottom", of: ["left", "right"]), part("left", of: ["top"]), part("right", of: ["top"]),
                part("top"), part("other"),
            ]
        },
        cascade(
            "lets a record be deleted with any of its owners", deleting: "second", leaving: ["first", "third"]
        ) {
            try [part("first"), part("second"), part("third"), part("owned", of: ["first", "second", "third"])]
        },
        cascade("lets a record that owns itself be deleted", deleting: "self", leaving: ["other"]) {
            try [part("self", of: ["self"]), part("other")]
        },
        cascade("lets a cycle of records that own each other be deleted", deleting: "2", leaving: ["other"]) {
            try [part("1", of: ["3"]), part("2", of: ["1"]), part("3", of: ["2"]), part("other")]
        },
        cascade("lets records with owners in lists and maps be deleted", deleting: "owner", leaving: ["other"]) {
            var list = try part("list")
            list["owners"] = try .list([.null, .list([.int(1), reference("owner", .deleteSelf)])])
            var map = try part("map")
            map["owners"] = try .map(["none": .null, "owner": .map(["é": .list([reference("owner", .deleteSelf)])])])
            return try [list, map, part("owner"), part("other")]
        },
        cascade(
            "keeps a record whose references own nothing", deleting: "target", leaving: ["source", "owner"]
        ) {
            var source = try part("source")
            source["target"] = try reference("target", .none)
            let target = try part("target", of: ["owner"])
            return try [source, target, part("owner")]
        },
        RecordDatabaseRequirement(
            "lists the references that dangle after a deletion", needs: [.readYourQueries, .versionedDeletions]
        ) { database in
            var source = try part("source")
            source["targets"] = try .list([reference("kept", .none), reference("target", .none)])
            try await database.saveInBatches([source, part("target"), part("kept")])
            let target = try part("target").id
            let plan = try await database.deletionPlan(for: [target], [.cascading, .dangling])
            try expectDangling(plan.dangling, from: source.id, to: target, "the plan")
            try await database.delete([target], [.cascading, .dangling])
            try await expectDangling(database.danglingReferences(), from: source.id, to: target, "the database")
        },
    ]

    private static func cascade(
        _ name: String, deleting root: String, leaving names: [String],
        _ makeRecords: @escaping @Sendable () throws -> [Record]
    ) -> RecordDatabaseRequirement {
        RecordDatabaseRequirement(name, needs: [.readYourQueries, .versionedDeletions]) { database in
            let records = try makeRecords()
            try await database.saveInBatches(records)
            let expected = records.map(\.id).filter { !names.contains($0.name) }.sorted()
            let deleted = try await database.delete([part(root).id], [.cascading, .dangling])
            try expect(deleted.sorted() == expected, "\(deleted.sorted()) went with '\(root)' instead of \(expected)")
            for record in records {
                if names.contains(record.id.name) {
                    let found = try await database.record(for: record.id)
                    try expect(found?.fields == record.fields, "\(record.id) did not stay as it was")
                } else {
                    try await database.expectLacks(record.id)
                }
            }
        }
    }

    private static func part(_ name: String, of owners: [String] = []) throws -> Record {
        var record = try Record.sample(name, type: "Part")
        for owner in owners { record["owner \(owner)"] = try reference(owner, .deleteSelf) }
        return record
    }

    private static func reference(_ name: String, _ action: Record.Reference.Action) throws -> Record.Value {
        .reference(Record.Reference(to: try Record.ID(type: "Part", name: name), action: action))
    }

    private static func expectDangling(
        _ found: [DanglingReference], from source: Record.ID, to target: Record.ID, _ subject: String
    ) throws {
        try expect(found.count == 1, "\(subject) has \(found.count) references that dangle instead of one")
        for reference in found {
            try expect(
                reference.target == target && reference.context.record == source
                    && reference.context.chain.first?.path == "targets[1]",
                "\(subject) has another reference that dangles: \(reference)")
        }
    }
}
