import Testing

@testable import NestedRecords

@Suite struct SnakeCaseTests {
    static let names = [
        ("", ""), ("a", "a"), ("A", "a"), ("name", "name"), ("postalCode", "postal_code"), ("imageURL", "image_url"),
        ("URLImage", "url_image"), ("parseHTMLText", "parse_html_text"), ("already_snake", "already_snake"),
        ("_private", "_private"), ("__twoWords", "__two_words"), ("trailing_", "trailing_"), ("a_B", "a_b"),
        ("iso2", "iso2"), ("area2D", "area2_d"), ("x1Y2", "x1_y2"), ("isOK", "is_ok"), ("aB", "a_b"), ("aBC", "a_bc"),
        ("aBCd", "a_b_cd"), ("größeÜber", "größe_über"), ("naïveName", "naïve_name"), ("$ref", "$ref"),
        ("wikiDataId", "wiki_data_id"), ("漢字", "漢字"), ("a.bC", "a.b_c"),
    ]

    @Test(arguments: names) func wordsAreSplitAtCapitals(_ key: String, name: String) {
        #expect(KeyStrategy.snakeCase.fieldName(for: key) == name)
    }

    @Test(arguments: names) func snakeCaseStaysAsItIs(_ key: String, name: String) {
        #expect(KeyStrategy.snakeCase.fieldName(for: name) == name)
    }

    @Test(arguments: names) func keyOfAFieldIsFoundAgain(_ key: String, name: String) throws {
        // Where several keys give one name, any of them is right that the type has.
        let found = try #require(KeyStrategy.snakeCase.key(FreeKey.self, forField: name))
        #expect(KeyStrategy.snakeCase.fieldName(for: found.stringValue) == name)
    }

    private enum Keys: String, CodingKey, CaseIterable {
        case imageURL, postalCode, isOK, parseHTMLText, already_snake, iso2, _private, URLImage, x1Y2, htmlID
    }

    @Test func everyKeyOfATypeIsFoundFromItsField() {
        for key in Keys.allCases {
            let name = KeyStrategy.snakeCase.fieldName(for: key.stringValue)
            #expect(KeyStrategy.snakeCase.key(Keys.self, forField: name) == key)
        }
        #expect(KeyStrategy.snakeCase.key(Keys.self, forField: "unknown_name") == nil)
    }

    @Test func fieldInCamelCaseBelongsToNoKey() {
        #expect(KeyStrategy.snakeCase.key(Keys.self, forField: "imageURL") == nil)
        #expect(KeyStrategy.snakeCase.key(FreeKey.self, forField: "imageURL")?.stringValue == nil)
    }

    @Test func unchangedNamesAreTheKeys() {
        #expect(KeyStrategy.unchanged.fieldName(for: "imageURL") == "imageURL")
        #expect(KeyStrategy.unchanged.key(Keys.self, forField: "imageURL") == .imageURL)
        #expect(KeyStrategy.unchanged.key(Keys.self, forField: "image_url") == nil)
    }

    @Test func customNamesAreWhatTheClosureMakes() {
        let strategy = KeyStrategy.custom { $0 == "iso2" ? $0 : "x-\($0)" }
        #expect(strategy.fieldName(for: "imageURL") == "x-imageURL")
        #expect(strategy.key(Keys.self, forField: "iso2") == .iso2)
        #expect(strategy.key(Keys.self, forField: "imageURL") == nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 200, 1_000]) func fewSpellingsAreTriedHoweverManyWords(_ count: Int) {
        for word in ["word", "a", ""] {
            let name = Array(repeating: word, count: count).joined(separator: "_")
            #expect(KeyStrategy.rareSpellings(name).count < 1_000)
            #expect(KeyStrategy.snakeCase.key(Keys.self, forField: name) == nil)
        }
    }
}
