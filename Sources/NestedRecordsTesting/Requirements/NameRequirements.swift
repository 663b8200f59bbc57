import NestedRecords

extension RecordDatabaseRequirement {
    static let keepingNames = [
        RecordDatabaseRequirement("keeps records of one name and several types apart") { database in
            let records = try ["Country", "State", "Country2", "country"].map {
                try Record.sample("1", type: $0, text: $0)
            }
            try await expectApart(records, in: database)
        },
        RecordDatabaseRequirement("keeps names apart that differ in case or width alone", needs: .allNames) {
            database in
            try await expectApart(
                ["a", "A", "ａ", "1", "01", "1.0", "١"].map { try Record.sample($0, text: $0) }, in: database)
        },
        RecordDatabaseRequirement("keeps names apart that differ in their bytes alone") { database in
            // One scalar and two scalars for the same letter; Swift considers the texts equal.
            try await expectApart(
                ["\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}"].map { try Record.sample($0, text: $0) }, in: database)
        },
        RecordDatabaseRequirement("takes every name that an ID can have", needs: .allNames) { database in
            let names = [
                "/", "a/b", "b", "a", "ab", "../../a", ".", "..", "~", " ", "  a ", "a b", "C:\\a", "%2F", "%", "?#&=",
                "a\"b'c`d;e",
                "$a", "_a", "👩‍👩‍👧‍👦", "漢字", "שלום", "\u{202E}a", "\u{FEFF}a", "\u{10FFFF}", "null", "con", "-1",
                "a*", "[a]", "{a}", "a,b", "a|b", "<a>",
            ]
            try await expectApart(names.map { try Record.sample($0, text: $0) }, in: database)
        },
        RecordDatabaseRequirement("takes types and names of 255 bytes", needs: .allNames) { database in
            let long = String(repeating: "a", count: 254)
            let wide = String(repeating: "漢", count: 85)
            try await expectApart(
                [
                    Record.sample(long + "a"), Record.sample(long + "b"), Record.sample(wide),
                    Record.sample(wide, type: "T" + long), Record.sample(long + "/", type: "U" + long),
                ], in: database)
        },
    ]

    private static func expectApart(_ records: [Record], in database: any RecordDatabase) async throws {
        try await database.saveInBatches(records)
        let found = try await database.fetchInBatches(records.map(\.id))
        for record in records {
            let match = try unwrap(found[record.id], "the record \(record.id) was saved, but not found")
            try expect(
                Record.Value.map(match.fields).isIdentical(to: .map(record.fields)),
                "the record \(record.id) came back with the fields of another record")
        }
    }
}
