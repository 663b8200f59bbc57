import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@Suite struct RecordNameConvertibleTests {
    struct Item<ID: RecordNameConvertible & Codable & Hashable>: RecordCodable, Identifiable, Equatable {
        static var recordType: String { "Item" }
        var id: ID
    }

    private func check<ID: RecordNameConvertible & Codable & Hashable>(_ id: ID, _ name: String) throws {
        let item = Item(id: id)
        #expect(try Record.ID(of: item).name == name)
        #expect(ID(recordName: name) == id)
        #expect(try RecordDecoder().decode(Item<ID>.self, from: RecordEncoder().encode(item)) == item)
    }

    struct Tag: RawRepresentable, Codable, Hashable, RecordNameConvertible {
        var rawValue: UUID
    }

    enum Planet: Int8, Codable, RecordNameConvertible {
        case earth = 3
    }

    struct Serial: LosslessStringConvertible, Codable, Hashable, RecordNameConvertible {
        var number: Int
        var description: String { "#\(number)" }
        init(_ number: Int) { self.number = number }
        init?(_ description: String) {
            guard description.first == "#", let number = Int(description.dropFirst()) else { return nil }
            self.number = number
        }
    }

    /// Its raw value counts.
    struct Both: RawRepresentable, LosslessStringConvertible, Codable, Hashable, RecordNameConvertible {
        var rawValue: String
        var description: String { "<\(rawValue)>" }
        init(rawValue: String) { self.rawValue = rawValue }
        init?(_ description: String) { rawValue = description }
    }

    @Test func standardTypesNameRecords() throws {
        try check("a/b é", "a/b é")
        try check(-7, "-7")
        try check(Int8.min, "-128")
        try check(Int16.max, "32767")
        try check(Int32.min, "-2147483648")
        try check(Int64.min, "-9223372036854775808")
        try check(UInt8.max, "255")
        try check(UInt16.max, "65535")
        try check(UInt32.max, "4294967295")
        try check(UInt(5), "5")
        let uuid = try #require(UUID(uuidString: "0a0b0c0d-0000-4000-8000-000000000001"))
        try check(uuid, "0A0B0C0D-0000-4000-8000-000000000001")
        try check(String?.some("a"), "a")
    }

    @Test func typesThatNoFieldHoldsAreNamesNonetheless() {
        #expect("x".dropFirst(0).recordName == "x")
        #expect(Substring(recordName: "x") == "x")
        #expect(Character("é").recordName == "é")
        #expect(Character(recordName: "ab") == nil)
        #expect(Character(recordName: "") == nil)
        #expect(UInt64.max.recordName == "18446744073709551615")
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    @Test func wideIntegersAreNames() {
        #expect(Int128.max.recordName == "170141183460469231731687303715884105727")
        #expect(UInt128(recordName: "340282366920938463463374607431768211455") == .max)
    }

    @Test func declaredTypesNameRecords() throws {
        let uuid = UUID()
        try check(Tag(rawValue: uuid), uuid.uuidString)
        try check(Planet.earth, "3")
        try check(Serial(4), "#4")
        try check(Both(rawValue: "b"), "b")
    }

    @Test func nameOfNoValueIsRefused() {
        #expect(Int(recordName: "seven") == nil)
        #expect(UUID(recordName: "x") == nil)
        #expect(Planet(recordName: "4") == nil)
        #expect(Planet(recordName: "x") == nil)
        #expect(Serial(recordName: "4") == nil)
        #expect(Int??(recordName: "x") == nil)
        #expect(Int?.none.recordName == nil)
    }
}
