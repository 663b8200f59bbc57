import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct RecordFilterTests {
    private let record: Record

    init() throws {
        record = try Record(
            id: Record.ID("Book/1"),
            fields: [
                "title": "The Patient Tides", "pages": 312, "price": 9.5, "subtitle": .null,
                "tags": ["maps", "sea", 7],
                "cover": .map(["colour": "blue", "size": .map(["width": 12])]), "isLent": false,
                "place": .location(Location(latitude: 57.05, longitude: -5.13)),
                "author": Flat.reference("Author/mira"), "cover.colour": "red", "nan": .double(.nan),
                "long": .string(String(repeating: "x", count: 1_000)),
            ],
            metadata: Record.Metadata(
                changeTag: "7", creationDate: Date(timeIntervalSinceReferenceDate: 0),
                modificationDate: Date(timeIntervalSinceReferenceDate: 10)))
    }

    @Test func fullStopEndsANameWhateverFollows() {
        // A full stop and a mark after it are one character.
        #expect(("a.\u{301}b.c" as FieldPath).names == ["a", "\u{301}b", "c"])
    }

    @Test(
        arguments: [
            (.compare("pages", .equal, 312), true), (.compare("pages", .equal, .double(312)), true),
            (.compare("pages", .equal, "312"), false), (.compare("pages", .notEqual, "312"), true),
            (.compare("pages", .greater, 311), true), (.compare("pages", .greater, .double(311.5)), true),
            (.compare("pages", .less, "a"), false), (.compare("pages", .atMost, 312), true),
            (.compare("pages", .atLeast, 313), false), (.compare("price", .less, 10), true),
            (.compare("nan", .equal, .double(.nan)), true), (.compare("nan", .atMost, 1), false),
            (.compare("isLent", .less, true), true), (.compare("missing", .notEqual, 1), true),
            (.compare("missing", .equal, .null), false), (.compare("subtitle", .equal, .null), true),
            (.compare("subtitle", .less, 1), false), (.compare("title", .greater, "The"), true),
            (.compare("tags", .equal, .list(["maps", "sea", .double(7)])), true),
            (.compare("long", .equal, .string(String(repeating: "x", count: 1_000))), true),
            (.compare("long", .equal, .string(String(repeating: "x", count: 999))), false),
            (.compare(.recordName, .equal, "1"), true), (.compare(.changeTag, .equal, "7"), true),
            (.compare(.modificationDate, .greater, .date(Date(timeIntervalSinceReferenceDate: 5))), true),
            (.compare("cover.colour", .equal, "blue"), true), (.compare("cover.size.width", .equal, 12), true),
            (.compare(FieldPath(["cover.colour"]), .equal, "red"), true),
            (.compare("cover.colour.deep", .equal, "blue"), false), (.compare("place.latitude", .greater, 57), true),
            (.compare("place.longitude", .less, 0), true),
        ] as [(RecordFilter, Bool)]
    )
    func comparisonLooksAtKindAndOrder(filter: RecordFilter, isTrue: Bool) throws {
        #expect(try filter.matches(record) == isTrue)
        #expect(try RecordFilter.not(filter).matches(record) == !isTrue)
    }

    @Test(
        arguments: [
            (.isAny("pages", of: [1, .double(312)]), true), (.isAny("pages", of: []), false),
            (.isAny("long", of: [.string(String(repeating: "x", count: 1_000))]), true),
            (.isAny("long", of: [.string(String(repeating: "x", count: 1_001))]), false),
            (.exists("subtitle"), true), (.exists("missing"), false), (.isNull("subtitle"), true),
            (.isNull("missing"), false), (.hasPrefix("title", "The "), true), (.hasPrefix("title", "the "), false),
            (.hasPrefix("pages", "3"), false), (.containsText("title", "tient"), true),
            (.containsText("title", "TIENT"), false), (.containsText("title", "TIENT", ignoring: .case), true),
            (.containsText("title", ""), true), (.containsText("pages", ""), false), (.contains("tags", "sea"), true),
            (.contains("tags", .double(7)), true), (.contains("tags", "se"), false), (.contains("title", "T"), false),
        ] as [(RecordFilter, Bool)]
    )
    func otherConditions(filter: RecordFilter, isTrue: Bool) throws {
        #expect(try filter.matches(record) == isTrue)
        #expect(try RecordFilter.not(filter).matches(record) == !isTrue)
    }

    @Test(
        arguments: [
            (50, -10, 60, 0, true), (50, -10, 57, 0, false), (50, 170, 60, -5.13, true), (50, 170, 60, -5.14, false),
            (60, -10, 50, 0, false),
        ] as [(Double, Double, Double, Double, Bool)]
    )
    func boxMayCrossTheLineOfTheDate(south: Double, west: Double, north: Double, east: Double, isTrue: Bool) throws {
        let filter = RecordFilter.within(
            "place", southWest: Location(clampingLatitude: south, longitude: west),
            northEast: Location(clampingLatitude: north, longitude: east))
        #expect(try filter.matches(record) == isTrue)
    }

    @Test func distanceIsThatOnASphere() throws {
        let london = try Location(latitude: 51.5074, longitude: -0.1278)
        let paris = try Location(latitude: 48.8566, longitude: 2.3522)
        #expect(abs(london.distance(to: paris) - 343_560) < 100)
        #expect(london.distance(to: london) == 0)
        let far = try Location(latitude: 0, longitude: 180).distance(to: Location(latitude: 0, longitude: -180))
        #expect(far < 0.01)
        let near = try Location(latitude: 57.06, longitude: -5.13)
        #expect(try RecordFilter.near("place", near, metres: 1_200).matches(record))
        #expect(try !RecordFilter.near("place", near, metres: 1_100).matches(record))
    }

    @Test(arguments: ["0;0", "-0;0.00", "0.0;0.0", "+0e0;0"])
    func stringOfALocationCountsAsOne(_ text: String) throws {
        let record = try Record(id: Record.ID("Place/1"), fields: ["place": .string(text), "note": "0;x"])
        let center = try Location(latitude: 0, longitude: 0.01)
        #expect(try RecordFilter.near("place", center, metres: 1_200).matches(record))
        #expect(try !RecordFilter.near("place", center, metres: 1_100).matches(record))
        #expect(try RecordFilter.within("place", southWest: Location("-1;-1"), northEast: center).matches(record))
        #expect(try RecordFilter.compare("place.latitude", .equal, 0).matches(record))
        #expect(try !RecordFilter.near("note", center, metres: 1e9).matches(record))
    }

    /// Scalars with a peculiar case: several scalars, the Kelvin sign, the final sigma, the dotted capital I.
    @Test(arguments: ["", "k", "K", "\u{212A}", "i", "\u{130}", "Σ", "ς", "ß", "ẞ", "É", "e\u{301}", "kΣ", "ab"])
    func textIsFoundAsInTheFoldedStrings(_ text: String) throws {
        let strings = [
            "", "k", "aKb", "\u{212A}", "AB", "aab", "İ", "i\u{307}", "ΟΔΟΣ", "οδος", "Straße", "É", "é", "[k{", "xkΣ",
        ]
        for string in strings {
            for ignoresCase in [true, false] {
                func folded(_ text: String) -> String {
                    ignoresCase ? text.lowercased().uppercased().lowercased() : text
                }
                let (whole, part) = (folded(string), folded(text))
                let isExpected = part.isEmpty || whole.utf8.firstRange(of: part.utf8) != nil
                let record = try Record(id: Record.ID("Note/1"), fields: ["text": .string(string)])
                let filter = RecordFilter.containsText("text", text, ignoring: ignoresCase ? .case : [])
                #expect(try filter.matches(record) == isExpected, "\(string) \(ignoresCase)")
            }
        }
    }

    @Test func orderOfConditionsDoesNotMatter() throws {
        let filters: [RecordFilter] = [
            .containsText("title", "tient"), .compare("pages", .greater, 1), .exists("missing"),
            .not(.any([.isNull("missing"), .containsText("title", "zzz"), .exists("missing")])),
        ]
        for _ in 0..<24 {
            let some = filters.shuffled()
            #expect(try !RecordFilter.all(some).matches(record))
            #expect(try RecordFilter.any(some).matches(record))
            #expect(try RecordFilter.all(some.filter { $0 != .exists("missing") }).matches(record))
        }
    }

    @Test func combinationsMeanWhatTheySay() throws {
        let (yes, no) = (RecordFilter.exists("title"), RecordFilter.exists("missing"))
        #expect(try (yes && !no).matches(record))
        #expect(try !(yes && no).matches(record))
        #expect(try (no || yes).matches(record))
        #expect(try !(no || no).matches(record))
        #expect(try RecordFilter.all([]).matches(record))
        #expect(try !RecordFilter.any([]).matches(record))
        #expect(try RecordFilter.not(.any([.all([yes, no]), .not(.all([yes]))])).matches(record))
    }

    @Test func randomCombinationsGiveWhatTheirOperandsGive() throws {
        var random = SplitMix64(seed: 3)
        func make(_ depth: Int) -> (filter: RecordFilter, isTrue: Bool) {
            let count = depth == 0 ? 0 : Int.random(in: 0...3, using: &random)
            let operands = (0..<count).map { _ in make(depth - 1) }
            switch depth == 0 ? 3 : Int.random(in: 0...3, using: &random) {
            case 0: return (.all(operands.map(\.filter)), operands.allSatisfy(\.isTrue))
            case 1: return (.any(operands.map(\.filter)), operands.contains(where: \.isTrue))
            case 2:
                let operand = make(depth - 1)
                return (.not(operand.filter), !operand.isTrue)
            default:
                let isTrue = random.chance(oneIn: 2)
                return (.exists(isTrue ? "title" : "missing"), isTrue)
            }
        }
        for _ in 0..<2_000 {
            let (filter, isTrue) = make(Int.random(in: 0...5, using: &random))
            #expect(try filter.matches(record) == isTrue, "\(filter)")
        }
    }

    @Test func elementsOfListsAreMapsThatMatch() throws {
        let record = try Record(
            id: Record.ID("Country/lu"),
            fields: [
                "zones": .list([
                    "x", .map(["name": "CET", "hours": 1]),
                    .map(["name": "CEST", "hours": 2, "in": .list([.map(["m": 3])])]),
                ]), "none": .list([]), "zone": .map(["name": "CET"]),
            ])
        let summer: RecordFilter = .compare("name", .equal, "CEST") && .compare("hours", .equal, 2)
        for (filter, isTrue) in [
            (.hasElement("zones", where: summer), true), (.hasElement("zones", where: !.exists("name")), false),
            (.hasElement("zones", where: .compare("name", .equal, "CEST") && .compare("hours", .equal, 1)), false),
            (.hasElement("zones", where: .hasElement("in", where: .compare("m", .greater, 2))), true),
            (.hasElement("zones", where: .compare("name", .notEqual, "CET")), true),
            (.hasElement("zones", where: .compare(.recordName, .equal, "lu")), true),
            (.hasElement("none", where: .all([])), false), (.hasElement("zone", where: .all([])), false),
        ] as [(RecordFilter, Bool)] {
            #expect(try filter.matches(record) == isTrue, "\(filter)")
            #expect(try RecordFilter.any([filter, .not(filter)]).matches(record))
        }
        #expect(
            RecordFilter.hasElement("zones", where: summer).description
                == #"zones has an element where (name = "CEST" and hours = 2)"#)
        func nested(_ count: Int) -> RecordFilter {
            (0..<count).reduce(.all([])) { filter, _ in .hasElement("a", where: filter) }
        }
        #expect(try !nested(16).matches(record))
        for count in [17, 2_000] {
            let error = #expect(throws: RecordError.self) { try nested(count).matches(record) }
            #expect(error?.code == .filterTooLarge)
        }
    }

    @Test func filterIsWrittenAsOneWouldSayIt() {
        let filter: RecordFilter = .all([
            .compare("age", .atLeast, 7), .not(.any([.contains("tags", "a"), .isNull("b")])),
            .refers("school", to: "School", where: .compare("name", .equal, "Hilltop")),
        ])
        #expect(
            filter.description
                == #"age >= 7 and not (tags contains "a" or b is null) and school refers to School where name = "Hilltop""#
        )
    }

    @Test func filterThatFollowsReferencesNeedsADatabase() throws {
        let error = #expect(throws: RecordError.self) {
            try RecordFilter.refers("author", to: "Author").matches(record)
        }
        #expect(error?.code == .needsDatabase)
    }

    @Test func filtersOfAnyDepthAreAnsweredOnASmallStack() async throws {
        let record = record
        let result = try await inThreadWithSmallStack {
            var filter = RecordFilter.exists("title")
            for _ in 0..<20_000 { filter = .not(consume filter) }
            var other = RecordFilter.exists("missing")
            for _ in 0..<10_000 { other = (consume other || .all([])) && .exists("title") }
            return try (filter.matches(record), other.matches(record))
        }
        #expect(result == (true, true))
    }
}
