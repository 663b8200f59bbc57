import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct FilterParserTests {
    private static let record = #"""
        {"id":"Book/b2","fields":{"title":"An Atlas of Clouds","year":1990,"weight":0.5,"sold":true,"isbn":null,
        "out":{"$date":"2001-02-03T04:05:06Z"},"place":{"$location":"57.05;-5.13"},"tags":["sea","maps",7],
        "author":{"$ref":"Author/ada"},"cover":{"colour":"red","size":{"width":12}},"data":{"$bytes":"aGk="},
        "first name":"Ada","a.b":1,"not":2,"zip":"01234","mean":{"$double":"nan"},"@x":3,"pair":{"$map":{"$k":1}}}}
        """#.replacing("\n", with: "")

    private func matches(_ text: String) throws -> Bool {
        let filter = try FilterParser.parse(FilterText(text, owner: "text"), ofTypes: ["Book"]).filter
        return try filter.matches(try ToolFolder.record(Self.record))
    }

    @Test func daysOfSavesHaveNames() throws {
        let record = try ToolFolder.record(Self.record)
        for (age, isToday, isYesterday) in [(0.0, true, true), (86_400, false, true), (2 * 86_400, false, false)] {
            let saved = try Record(
                id: record.id, fields: [:],
                metadata: Record.Metadata(
                    changeTag: "a", creationDate: .now - age, modificationDate: .now - age))
            for (day, holds) in [("today", isToday), ("YESTERDAY", isYesterday)] {
                let filter = try FilterParser.parse(FilterText("@modified >= \(day)", owner: "text"), ofTypes: ["Book"])
                #expect(try filter.filter.matches(saved) == holds, "\(day) \(age)")
            }
        }
    }

    @Test(arguments: [
        "title = 'An Atlas of Clouds'", #"title = "An Atlas of Cloud\u0073""#, "year=1990", "year = 1990.0",
        "year != 'x'", "year < 1991 and year <= 1990", "year>1989 or year>3000", "weight = 5e-1", "sold = true",
        "isbn = null", "isbn is null", "isbn exists", "not nothing exists", "nothing != 1", "not nothing = 1",
        "out > 2001-02-03", "out = 2001-02-03T05:05:06+01:00", "place = 57.05;-5.13", "author = Author/ada",
        "year in (1, 1990)", "title in ('x', 'An Atlas of Clouds')", "not year in ()", "title prefix An",
        "title prefix 'An A'", "title ~ ATLAS", "title ~ 'of c'", "title contains Atlas", "zip contains 1234",
        "zip ~ 234", "zip prefix 0123", "tags contains sea",
        "tags contains 7", "not tags contains Sea", #"tags = ["sea", "maps", 7]"#, "cover.colour = red",
        "cover.size.width >= 12", "place.latitude > 57 and place.longitude < 0", "place within (57;-6, 58;-5)",
        "place near (57;-5, 10000)", "not place near (57;-5, 100)", #"data = {"$bytes": "aGk="}"#,
        #"mean = {"$double":"nan"}"#, "'first name' = Ada", #""a.b" = 1"#, "'not' = 2", "zip = '01234'",
        "'@x' = 3", #"pair.'$k' = 1"#, "pair.$k = 1", "@name = b2", "@id = Book/b2", "@id != Book/b1",
        "@id in (Author/b2, Book/b2)",
        "not @id = Author/b2", "@type = Book", "@type != Author", "@type prefix B", "@type in (Book, Author)",
        "not @created exists", "\n year\t=\r\n1990 ", "((year = 1990))", "not not year = 1990",
        "not (year = 1 or year = 2)", "year = 1 and year = 2 or sold = true", "sold = true or year = 1 and year = 2",
        "not year = 1 and sold = true",
        // As in SQL and Swift.
        "year == 1990 && sold = true", "year = 1 || sold == true", "!(year = 1)", "!sold = false", "year <> 1",
        "YEAR = 1 OR NOT year IN (1, 2) AND sold = true", "title is not null", "isbn IS NULL", "not isbn is not null",
        "not nothing is not null", "year between 1990 and 1991 and sold = true", "year not between 1 and 2",
        "year not in (1, 2)", "title like 'An A%'", "title LIKE '%Atlas%'", "title not like 'Atlas%'",
        "title like 'An Atlas of Clouds'",
    ])
    func filterHolds(_ text: String) throws { #expect(try matches(text)) }

    @Test(arguments: [
        "year = '1990'", "year > 'a'", "isbn != null", "nothing is null", "nothing < 1",
        "isbn exists and nothing exists",
        "(sold = true or year = 1) and year = 2", "not (year = 1990 or year = 1)", "title prefix an",
        "title contains atlas", "tags contains s", "tags = sea", "author = ada", "author = 'Author/ada'", "a.b = 1",
        "cover.colour.x exists", "tags.sea exists", "place within (57;-5, 58;-6) and place within (0;0, 1;1)",
        "@name = b", "@id = Book/b1", "@id = Author/b2", "@type = Author", "@type < Book", "year in ()",
    ])
    func filterDoesNotHold(_ text: String) throws { #expect(try !matches(text)) }

    @Test(arguments: [
        ("a = 1 and b = 2 or c = 3", "(a = 1 and b = 2) or c = 3"),
        ("a = 1 or b = 2 and c = 3", "a = 1 or (b = 2 and c = 3)"),
        ("not a = 1 and b = 2", "not a = 1 and b = 2"), ("not (a = 1 and b = 2)", "not (a = 1 and b = 2)"),
        ("a refers to B where (b = 1 or c = 2) and d = 3", "a refers to B where (b = 1 or c = 2) and d = 3"),
        ("a refers to B", "a refers to B where true"),
        ("a refers to B where (b refers to C where (c = 1))", "a refers to B where b refers to C where c = 1"),
    ])
    func operatorsBindInTheirOrder(_ text: String, _ description: String) throws {
        let result = try FilterParser.parse(FilterText(text, owner: "text"), ofTypes: ["A"])
        #expect(result.filter.description == description)
    }

    @Test func fieldsBelongToTheTypeThatTheConditionIsAbout() throws {
        let text =
            "a = 1 and b refers to B where (c = 1 and d refers to D and a = 2) and e.f = 1 and @name = x and a = 3"
        let names = try FilterParser.parse(FilterText(text, owner: "text"), ofTypes: ["A"]).names
        #expect(
            names.map { "\($0.types.joined())\($0.path.map { "." + $0.filterText } ?? "")" } == [
                "A.a", "A.b", "B", "B.c", "B.d", "D", "B.a", "A.e.f",
            ])
        #expect(names.last?.place == "text, column 71")
    }

    @Test(arguments: ["a", "@\u{301}x", "'\u{301}\"", "\u{600}'\"", "\"\u{301}", "a.\u{301}b", "@x", "\u{301}", "a b"])
    func nameIsWrittenAsItIsRead(_ name: String) throws {
        for names in [[name], ["a", name], [name, "\u{301}a"]] {
            let text = FieldPath(names).filterText + " = 1"
            let result = try FilterParser.parse(FilterText(text, owner: "text"), ofTypes: ["A"])
            #expect(result.names.map(\.path) == [FieldPath(names)])
        }
    }

    @Test func typeOfTheOtherRecordCountsAfterAReference() throws {
        let text = FilterText("a refers to B where (@type = B and @id = B/x)", owner: "text")
        let filter = try FilterParser.parse(text, ofTypes: ["A"]).filter
        #expect(filter.description == #"a refers to B where (true and @name in ["x"])"#)
    }
}
