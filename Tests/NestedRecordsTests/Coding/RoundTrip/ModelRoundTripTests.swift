import Foundation
import NestedRecords
import Testing

@Suite struct ModelRoundTripTests {
    struct Empty: Codable, Equatable {}

    struct Options: OptionSet, Codable {
        var rawValue: UInt8
    }

    struct Pair<First: Codable & Equatable, Second: Codable & Equatable>: Codable, Equatable {
        var first: First
        var second: Second
    }

    struct Tree: Codable, Equatable {
        var name: String
        var children: [Tree] = []
        var byName: [String: Tree] = [:]
    }

    enum Colour: String, Codable { case red, darkBlue = "dark blue" }

    enum Level: Int, Codable { case low = -1, high = 1 }

    enum OneCase: Codable { case only }

    enum Shape: Codable, Equatable {
        case point
        case circle(radius: Double)
        case line(Int, Int)
        case mixed(Int, name: String, Empty?)
        case `super`(value: [Shape])
        case optional(Int?)
    }

    indirect enum Expression: Codable, Equatable {
        case number(Int)
        case sum(Expression, Expression)
        case call(name: String, arguments: [Expression])
    }

    enum Outcome<Success: Codable & Equatable, Failure: Codable & Equatable>: Codable, Equatable {
        case success(Success)
        case failure(Failure)
    }

    struct Wrapper<Value: Codable & Equatable>: Codable, Equatable {
        var value: Value

        init(_ value: Value) { self.value = value }
        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Value.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    static let structs: [RoundTripCase] = [
        RoundTripCase("without properties") { Empty() },
        RoundTripCase("option set") { [Options(rawValue: 0), Options(rawValue: 255)] },
        RoundTripCase("generic") { Pair(first: 1, second: Pair(first: "a", second: [Pair(first: true, second: 0.5)])) },
        RoundTripCase("recursion through lists and dictionaries") {
            Tree(
                name: "a", children: [Tree(name: "b", byName: ["x": Tree(name: "c")]), Tree(name: "d")],
                byName: ["y": Tree(name: "e", children: [Tree(name: "f")])])
        },
        RoundTripCase("single value of a text") { Wrapper("a") },
        RoundTripCase("single value of nil", isLossy: true) { Wrapper(Int?.none) },
        RoundTripCase("single values of a struct") { Wrapper(Wrapper(Pair(first: 1, second: [Wrapper(2)]))) },
        RoundTripCase("single value of a list") { Wrapper([1, 2]) },
        RoundTripCase("single value of a dictionary") { Wrapper(["imageURL": 2]) },
        RoundTripCase("single value of a date") { Wrapper(Date(timeIntervalSince1970: 0.25)) },
    ]

    static let enums: [RoundTripCase] = [
        RoundTripCase("text as raw value") { [Colour.red, .darkBlue] },
        RoundTripCase("number as raw value") { [Level.low, .high] },
        RoundTripCase("one case") { OneCase.only },
        RoundTripCase("no payload") { Shape.point },
        RoundTripCase("labelled") { Shape.circle(radius: 1.5) },
        RoundTripCase("unlabelled") { Shape.line(1, -1) },
        RoundTripCase("mixed") { [Shape.mixed(1, name: "a", Empty()), .mixed(1, name: "", nil)] },
        RoundTripCase("case with the name of the super key") { Shape.super(value: [.point, .super(value: [])]) },
        RoundTripCase("optional payload") { [Shape.optional(nil), .optional(1)] },
        RoundTripCase("recursive") {
            Expression.call(name: "f", arguments: [.sum(.number(1), .call(name: "g", arguments: [])), .number(2)])
        },
        RoundTripCase("generic") { [Outcome<[Int], Colour>.success([1]), .failure(.red)] },
        RoundTripCase("in each other") { Outcome<Shape, Outcome<Int, Colour>>.failure(.failure(.darkBlue)) },
    ]

    @Test(arguments: structs, RoundTripPosition.allCases)
    func structsComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

    @Test(arguments: enums, RoundTripPosition.allCases)
    func enumsComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }
}
