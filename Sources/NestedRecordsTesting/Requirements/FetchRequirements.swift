import NestedRecords

extension RecordDatabaseRequirement {
    static let fetching = [
        RecordDatabaseRequirement("answers with the records that it has and leaves out the others") { database in
            let here = try Record.sample("here")
            let absent = try Record.sample("absent")
            try await database.saveInBatches([here, Record.sample("unasked")])
            let found = try await database.fetchInBatches([absent.id, here.id])
            try expect(found[here.id] != nil, "the record \(here.id) was saved, but not found")
            try expect(found[absent.id] == nil, "the record \(absent.id) was found, but never saved")
            try expect(found.count == 1, "the answer has \(found.count) records instead of one")
        },
        RecordDatabaseRequirement("answers with each record once") { database in
            let records = try ["a", "b", "c"].map { try Record.sample($0, text: $0) }
            try await database.saveInBatches(records)
            for (id, record) in try await database.fetchInBatches(records.map(\.id)) {
                try expect(record["text"] == .string(id.name), "\(id) came back with the fields of another record")
            }
        },
        RecordDatabaseRequirement("answers with nothing where nothing is asked for") { database in
            try await database.saveInBatches([Record.sample("a")])
            let found = try await database.records(for: [])
            try expect(found.isEmpty, "the answer has \(found.count) records")
        },
        RecordDatabaseRequirement("fetches a record with the metadata that the save answered with") { database in
            let record = try await database.saved(Record.sample("a"))
            try await database.expectHolds(record)
        },
        RecordDatabaseRequirement("replaces the stored fields by the saved ones") { database in
            var first = try Record.sample("a")
            first["gone"] = .int(1)
            _ = try await database.saved(first)
            var second = try Record.sample("a", text: "second")
            second["new"] = .list([])
            try await database.expectHolds(database.saved(second))
        },
    ]
}
