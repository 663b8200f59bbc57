import Foundation
import NestedRecords
import Testing

@Suite struct CollectionRoundTripTests {
    enum Colour: String, Codable { case red, darkBlue }

    enum Size: Int, Codable, CodingKeyRepresentable { case small = 1, large = 2 }

    struct Point: Codable, Hashable {
        var x: Int
        var y: Int?
    }

    struct Tag: RawRepresentable, Codable, Hashable, CodingKeyRepresentable {
        var rawValue: String
    }

    static let optionals: [RoundTripCase] = [
        RoundTripCase("nil", isLossy: true) { Int?.none },
        RoundTripCase("some") { Int?.some(1) },
        RoundTripCase("some nil", isLossy: true) { Int??.some(nil) },
        RoundTripCase("some some") { Int??.some(1) },
        RoundTripCase("some some nil", isLossy: true) { Int???.some(.some(nil)) },
        RoundTripCase("optional struct") { Point?.some(Point(x: 1, y: nil)) },
        RoundTripCase("optionals in a list") { [1, nil, 3, nil] },
        RoundTripCase("optionals in lists in a list") { [[1, nil], nil, []] },
        RoundTripCase("optional list of optionals") { [Point?]?.some([nil, Point(x: 0, y: 0)]) },
        RoundTripCase("optionals in a dictionary") { ["a": 1, "b": nil] },
        RoundTripCase("double optionals in a dictionary", isLossy: true) { ["a": Int??.some(nil), "b": .some(1)] },
        RoundTripCase("optionals in a dictionary by numbers") { [1: "a", 2: nil] },
    ]

    static let lists: [RoundTripCase] = [
        RoundTripCase("empty") { [Int]() },
        RoundTripCase("lists in lists in lists") { [[[1, 2], []], [], [[3]]] },
        RoundTripCase("lists of dictionaries of lists") { [["a": [1], "b": []], [:]] },
        RoundTripCase("ContiguousArray") { ContiguousArray(["a", "b"]) },
        RoundTripCase("Set", isUnordered: true) { Set((0..<50).map { "\($0)" }) },
        RoundTripCase("empty Set") { Set<Int>() },
        RoundTripCase("Set of structs", isUnordered: true) {
            Set([Point(x: 1, y: 2), Point(x: 1, y: nil), Point(x: 0, y: 9)])
        },
        RoundTripCase("Set of Sets", isUnordered: true) { Set([Set([1, 2, 3]), Set([3]), Set()]) },
        RoundTripCase("Set of optionals", isUnordered: true) { Set([1, nil, 3]) },
        RoundTripCase("Set of dictionaries", isUnordered: true) { Set([["a": 1], ["b": 2], [:]]) },
        RoundTripCase("Set of Locations", isUnordered: true) {
            try Set([Location(latitude: 1, longitude: 2), Location(latitude: 1, longitude: 1)])
        },
        RoundTripCase("Set of Data", isUnordered: true) { Set([Data([2]), Data([1, 2]), Data()]) },
    ]

    static let dictionaries: [RoundTripCase] = [
        RoundTripCase("empty") { [String: Int]() },
        RoundTripCase("empty by numbers") { [Int: Int]() },
        RoundTripCase("empty by structs") { [Point: Int]() },
        RoundTripCase("String keys") { [" ": 1, "a.b": 2, "imageURL": 3, "$ref": 4, "super": 5, "value": 6, "é": 7] },
        RoundTripCase("Int keys") { [Int.min: "a", -1: "b", 0: "c", Int.max: "d"] },
        RoundTripCase("many keys") { Dictionary(uniqueKeysWithValues: (0..<300).map { ("k\($0)", $0) }) },
        RoundTripCase("many Int keys") { Dictionary(uniqueKeysWithValues: (0..<300).map { ($0, [$0]) }) },
        RoundTripCase("enum keys", isUnordered: true) { [Colour.red: 1, .darkBlue: 2] },
        RoundTripCase("representable enum keys") { [Size.small: "s", .large: "l"] },
        RoundTripCase("representable text keys") { [Tag(rawValue: " "): 1, Tag(rawValue: "a b"): 2] },
        RoundTripCase("struct keys", isUnordered: true) { [Point(x: 2, y: nil): [1], Point(x: 1, y: 3): []] },
        RoundTripCase("Double keys", isUnordered: true) { [2.5: 1, -1: 2] },
        RoundTripCase("Date keys", isUnordered: true) {
            [Date(timeIntervalSince1970: 1): 1, Date(timeIntervalSince1970: 0): 2]
        },
        RoundTripCase("UUID keys", isUnordered: true) { [UUID(): 1, UUID(): 2] },
        RoundTripCase("Bool keys", isUnordered: true) { [true: [Int?.none], false: [1]] },
        RoundTripCase("optional keys", isUnordered: true) { [Int?.none: 1, 2: 3] },
        RoundTripCase("list keys", isUnordered: true) { [[1, 2]: 1, []: 2, [1]: 3] },
        RoundTripCase("dictionaries in dictionaries") { ["a": [1: [Colour.red: ["x": 1]]], "b": [:]] },
        RoundTripCase("Sets in dictionaries") { [1: Set(["b", "a"])] },
    ]

    @Test(arguments: optionals, RoundTripPosition.allCases)
    func optionalsComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

    @Test(arguments: lists, RoundTripPosition.allCases)
    func listsAndSetsComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

    @Test(arguments: dictionaries, RoundTripPosition.allCases)
    func dictionariesComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }
}
