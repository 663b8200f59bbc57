import NestedRecords

extension RecordDatabaseRequirement {
    static let languages = [
        RecordDatabaseRequirement("finds text without regard to case and accents", needs: .readYourQueries) {
            database in
            let texts = [
                "Straße", "STRASSE", "resume", "Résumé", "re\u{301}sume\u{301}", "ΟΔΟΣ", "οδος", "ısı", "İsı", "plain",
            ]
            try await database.save(texts: texts)
            for (filter, expected) in [
                (.containsText("text", "strasse", ignoring: .case), [0, 1]), (.containsText("text", "ß"), [0]),
                (.containsText("text", "resume", ignoring: .accents), [2, 4]),
                (.containsText("text", "RÉSUMÉ", ignoring: [.case, .accents]), [2, 3, 4]),
                (.containsText("text", "ÉSUM", ignoring: .case), [3]), (.containsText("text", "e\u{301}"), [4]),
                (.hasPrefix("text", "οδοσ", ignoring: .case), [5, 6]), (.hasPrefix("text", "I", ignoring: .case), [8]),
                (.hasPrefix("text", "é", ignoring: .accents), []),
                (.hasPrefix("text", "ré", ignoring: .accents), [2, 4]),
            ] as [(RecordFilter, [Int])] {
                let found = try await database.page(RecordQuery("Sample", where: filter)).records.map(\.id.name)
                try expect(found == expected.map(String.init), "\(filter) finds \(found) instead of \(expected)")
            }
        },
        RecordDatabaseRequirement("orders strings by the rules of a language, page by page", needs: .readYourQueries) {
            database in
            let texts = ["zebra", "äpple", "apple", "Ånger", "öl", "Banan", "apple", "Öl", "", nil]
            try await database.save(texts: texts)
            for (language, ascending) in [
                ("sv", [9, 8, 2, 6, 5, 0, 3, 1, 4, 7]), ("de", [9, 8, 3, 2, 6, 1, 5, 4, 7, 0]),
            ] {
                // Equal strings are in the order of the names in both directions.
                let descending = ascending.reversed().map { [2: 6, 6: 2][$0] ?? $0 }
                for (isDescending, expected) in [(false, ascending), (true, descending)] {
                    for limit in [1, 3, nil] {
                        let order = RecordOrder("text", isDescending: isDescending, collation: language)
                        var query = RecordQuery("Sample", order: [order], limit: limit)
                        var found: [String] = []
                        repeat {
                            let page = try await database.page(query)
                            found += page.records.map(\.id.name)
                            query.after = page.next
                        } while query.after != nil && found.count < texts.count
                        try expect(
                            found == expected.map(String.init),
                            "the order for '\(language)' is \(found) instead of \(expected): \(query)")
                    }
                }
            }
        },
    ]
}

extension RecordDatabase {
    /// Saves records whose names are the positions of their texts.
    fileprivate func save(texts: [String?]) async throws {
        try await saveInBatches(
            texts.enumerated().map { number, text in
                try Record(
                    id: Record.ID(type: "Sample", name: "\(number)"), fields: text.map { ["text": .string($0)] } ?? [:])
            })
    }
}
