import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@Suite struct TypedFieldsTests {
    struct Size: Codable, Equatable {
        var width: Int
        var unit: String?
    }

    enum Mood: String, Codable {
        case calm
    }

    struct Person: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var mood = Mood.calm
    }

    private func record(_ fields: Record.Fields = [:]) throws -> Record {
        try Record(id: Record.ID("Person/ada"), fields: fields)
    }

    private func check<Content: Codable & Equatable>(_ content: Content, _ value: Record.Value) throws {
        var record = try record(["before": 1])
        try record.set(content, for: "field")
        #expect(record.fields == ["before": 1, "field": value])
        #expect(try record["field", as: Content.self] == content)
        try record.set([content], for: "list")
        #expect(record["list"] == .list([value]))
        #expect(try record["list", as: [Content].self] == [content])
        try record.set(["a": content], for: "map")
        #expect(record["map"] == .map(["a": value]))
        #expect(try record["map", as: [String: Content].self] == ["a": content])
        #expect(try record["field", as: Content?.self] == .some(.some(content)))
    }

    @Test func scalarsAreReadAndStored() throws {
        try check(true, true)
        try check("Ada", "Ada")
        try check(1, 1)
        try check(Int8(-1), -1)
        try check(Int16(2), 2)
        try check(Int32(3), 3)
        try check(Int64.max, .int(.max))
        try check(UInt(5), 5)
        try check(UInt8(6), 6)
        try check(UInt16(7), 7)
        try check(UInt32(8), 8)
        try check(UInt64(9), 9)
        try check(0.5, 0.5)
        try check(Float(0.25), 0.25)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    @Test func wideIntegersAreReadAndStored() throws {
        try check(Int128(4), 4)
        try check(UInt128(10), 10)
    }

    @Test func foundationTypesAreReadAndStored() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1)
        try check(date, .date(date))
        try check(Data([1, 2]), .bytes(Data([1, 2])))
        let url = try #require(URL(string: "https://example.com/a"))
        try check(url, "https://example.com/a")
        let uuid = UUID()
        try check(uuid, .string(uuid.uuidString))
        try check(Decimal(0.5), 0.5)
        let long = try #require(Decimal(string: "0.1234567890123456789"))
        try check(long, ["$decimal": "0.1234567890123456789"])
        try check(Duration.seconds(2), [0, 2_000_000_000_000_000_000])
        try check(UInt64.max, ["$decimal": "18446744073709551615"])
    }

    @Test func typesOfTheLibraryAreReadAndStored() throws {
        let location = try Location(latitude: 57, longitude: -5)
        try check(location, .location(location))
        let reference = Record.Reference(to: try Record.ID("Person/bo"), action: .deleteSelf)
        try check(reference, .reference(reference))
        let link = try RecordLink<Person>(named: "bo")
        try check(link, try Flat.reference("Person/bo", isLink: true))
        try check(Record.Value.list([1, "a"]), [1, "a"])
        try check(["a": 1] as Record.Fields, ["a": 1])
        try check(try Record.ID("Person/bo"), "Person/bo")
    }

    @Test func embeddedValuesAreReadAndStored() throws {
        try check(Size(width: 1, unit: nil), ["width": 1])
        try check(Mood.calm, "calm")
        try check(Set([2, 1]), [1, 2])
        try check([[1], [2, 3]], [[1], [2, 3]])
        try check([1, nil], [1, .null])
    }

    @Test func missingFieldAndNullAreNil() throws {
        let record = try record(["empty": .null])
        #expect(try record["none", as: String.self] == nil)
        #expect(try record["none", as: Person.self] == nil)
        #expect(try record["empty", as: String.self] == nil)
        #expect(try record["empty", as: [Int].self] == nil)
        #expect(try record["empty", as: Int?.self] == .some(nil))
        #expect(try record["none", as: Int?.self] == nil)
        #expect(try record["empty", as: Record.Value.self] == .null)
    }

    @Test func settingNilRemovesTheField() throws {
        var record = try record(["a": 1, "b": 2])
        try record.set(Int?.none, for: "a")
        #expect(record.fields == ["b": 2])
    }

    @Test func wrongKindIsAnErrorThatNamesRecordAndField() throws {
        let record = try record(["name": 7, "sizes": [["width": 1], ["width": "x"]], "mood": "wild"])
        #expect(
            CodingFailure.of { try record["name", as: String.self] as Any }
                == CodingFailure(.typeMismatch, "name", "Person/ada, field 'name'"))
        #expect(
            CodingFailure.of { try record["sizes", as: [Size].self] as Any }
                == CodingFailure(.typeMismatch, "sizes.1.width", "Person/ada, field 'sizes'"))
        #expect(CodingFailure.of { try record["mood", as: Mood.self] as Any }?.place == "Person/ada, field 'mood'")
        #expect(throws: DecodingError.self) { try record["name", as: [Int].self] }
        #expect(throws: DecodingError.self) { try record["mood", as: Int?.self] }
    }

    @Test func recordsInFieldsAreRefused() throws {
        var record = try record(["friend": Flat.reference("Person/bo"), "n": 1])
        let before = record
        let error = #expect(throws: RecordError.self) { try record["friend", as: Person.self] }
        #expect(error?.code == .danglingReference)
        #expect(error?.recordID?.description == "Person/bo")
        #expect(error?.context.field == "friend")
        #expect(error?.context.record?.description == "Person/ada")
        #expect(throws: EncodingError.self) { try record.set(Person(id: "cy"), for: "friend") }
        #expect(throws: EncodingError.self) { try record.set([Person(id: "cy")], for: "n") }
        let held = try RecordLink(holding: Person(id: "cy"))
        #expect(throws: EncodingError.self) { try record.set(held, for: "n") }
        #expect(record == before)
    }

    @Test func valueThatNoFieldHoldsIsRefused() throws {
        var record = try record(["n": 1])
        let error = try #require(throws: EncodingError.self) { try record.set(Unstorable(), for: "n") }
        #expect("\(error)".contains("in record Person/ada, field 'n'"))
        #expect(throws: RecordError.self) { try record.set(1, for: "") }
        #expect(record.fields == ["n": 1])
    }

    @Test func wrappersHaveTheirOwnForms() throws {
        var record = try record()
        try record.set(ServerTimestamp(wrappedValue: nil), for: "at")
        #expect(record["at"] == .serverTimestamp)
        #expect(try record["at", as: ServerTimestamp.self] == ServerTimestamp(wrappedValue: nil))
        try record.set(ExplicitNull<Int>(wrappedValue: nil), for: "none")
        #expect(record["none"] == .null)
    }
}
