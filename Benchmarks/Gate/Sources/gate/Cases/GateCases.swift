import Models

extension GateCase {
    /// The main cases.
    static let all = [
        school(of: 1_000), school(of: 10),
        GateCase("chain of 100", records: 100, objects: 100) { Person.chain(of: 100) },
        GateCase("200 of 50 fields", records: 200) { Wide.list(of: 200) },
        GateCase("12 layers of diamonds", records: 25, objects: 25) { Diamond.layers(12) },
        GateCase("playlists of copies", records: Playlists.recordCount, objects: 19) { try Playlists.copies() },
    ]

    private static func school(of records: Int) -> GateCase {
        // Half of the records are persons, which are instances of a class, including the director; and there are two
        // lists.
        GateCase("school of \(records)", records: records, objects: (records - 2) / 2 + 1 + 2) {
            try School(records: records)
        }
    }
}
