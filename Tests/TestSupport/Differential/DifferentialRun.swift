import Foundation
import NestedRecords

/// Where records did something else than JSON.
package struct Difference: Sendable {
    enum Kind: Sendable {
        /// Another value came back.
        case changed
        /// JSON carries the value, records do not.
        case refused
    }

    let type: String
    let place: DifferentialPlace
    let way: DifferentialWay
    let kind: Kind
    let code: RecordError.Code?
    let text: String
}

extension Difference: CustomStringConvertible {
    package var description: String { "\(type), \(place), \(way): \(kind): \(text)" }
}

/// What becomes of records before they are read: how their fields are named, and where they go.
struct DifferentialWay: Sendable, Hashable, CustomStringConvertible {
    let path: String
    let strategy: String
    var description: String { "\(path), \(strategy)" }
}

/// What was compared.
package struct DifferentialTally: Sendable {
    package var equalCount = 0

    /// How many values records carry that JSON does not.
    package var betterCount = 0
    package var refusedByBothCount = 0
    var differences: [Difference] = []

    /// The differences that are not allowed.
    package var unexplained: [Difference] {
        differences.filter { difference in !AllowedDifference.all.contains { $0.covers(difference) } }
    }

    /// How many comparisons there were.
    package var count: Int { equalCount + betterCount + refusedByBothCount + differences.count }

    mutating func add(_ other: DifferentialTally) {
        equalCount += other.equalCount
        betterCount += other.betterCount
        refusedByBothCount += other.refusedByBothCount
        differences += other.differences
    }
}

/// Takes values of all types through records and through JSON.
package enum Differential {
    /// Compares values of each type in some random places.
    ///
    /// - Parameters:
    ///   - seed: Where the values and the places come from.
    ///   - paths: The ways that records take: two that every value takes, and others that values take in turn.
    package static func run(seed: UInt64, paths: [DifferentialPath]) async -> DifferentialTally {
        await withTaskGroup(of: DifferentialTally.self) { group in
            for type in DifferentialType.all { group.addTask { await type.run(seed, paths) } }
            return await group.reduce(into: DifferentialTally()) { $0.add($1) }
        }
    }
}

/// A type whose values are compared.
struct DifferentialType: Sendable {
    typealias Value = Codable & Equatable & SendableMetatype

    let name: String

    // Without its type, so that the compiler makes no code for each type in each place.
    private let make: @Sendable (inout SplitMix64) -> any Value

    init<Made: Value>(_ name: String, _ make: @escaping @Sendable (inout SplitMix64) -> Made) {
        (self.name, self.make) = (name, { make(&$0) })
    }

    func run(_ seed: UInt64, _ paths: [DifferentialPath]) async -> DifferentialTally {
        // The types begin at different places of the sequence.
        var generator = SplitMix64(seed: name.utf8.reduce(seed) { ($0 &* 31) &+ UInt64($1) })
        var tally = DifferentialTally()
        for _ in 0..<4 {
            let place = DifferentialPlace.random(&generator)
            var comparison = Comparison(type: name, place: place, paths: paths, turn: generator.pick(Array(0..<20)))
            let (value, other) = (make(&generator), make(&generator))
            await comparison.visit(value, other, in: place, keys: keys(&generator))
            tally.add(comparison.tally)
        }
        return tally
    }
}

private func keys(_ generator: inout SplitMix64) -> [String] {
    let odd = ["a.b", "a/b", "😀", "e\u{301}", "$ref", "$map", "super", "value", "a b", "camelCase", "snake_case", "0"]
    return [generator.pick(odd), generator.chance(oneIn: 8) ? "" : generator.pick(odd)]
}

/// Takes one record through all coders.
private struct Comparison: DifferentialVisitor {
    let type: String
    let place: DifferentialPlace
    let paths: [DifferentialPath]
    let turn: Int
    var tally = DifferentialTally()

    /// How many differences of one value in one place have a text.
    private static var describedCount: Int { 1 }

    /// What a synchronous call gives.
    private static func result<Success>(_ call: () throws -> Success) -> Result<Success, any Error> {
        Result(catching: call)
    }

    mutating func visit<Model: RecordCodable & Equatable>(_ model: Model) async {
        let json = Self.result { try throughJSON(model) }
        for (strategy, paths) in plan {
            let (encoder, decoder) = strategy.coders
            let graph = Self.result { try encoder.encode(model) }
            for path in paths {
                let found: Result<Model, any Error>
                do {
                    found = .success(try await decode(Model.self, from: graph.get(), path, decoder))
                } catch {
                    found = .failure(error)
                }
                let way = DifferentialWay(path: path.name, strategy: strategy.name)
                compare(model, json, found, way, graph: try? graph.get())
            }
        }
    }

    /// The first paths, and in turn one of the others and one of the strategies, which take longer.
    private var plan: [(DifferentialStrategy, [DifferentialPath])] {
        let few = Array(paths.prefix(2))
        let others = Array(paths.dropFirst(2))
        let other = others.isEmpty ? [] : [others[turn % others.count]]
        let strategies = DifferentialStrategy.others
        return [(.plain, few + other), (strategies[turn % strategies.count], few)]
    }

    private func throughJSON<Model: Codable>(_ model: Model) throws -> Model {
        try JSONDecoder().decode(Model.self, from: JSONEncoder().encode(model))
    }

    private func decode<Model: RecordCodable>(
        _ model: Model.Type, from graph: RecordGraph, _ path: DifferentialPath, _ decoder: RecordDecoder
    ) async throws -> Model {
        switch path {
        case .form(_, let carry):
            return try decoder.decode(model, from: carry(graph), root: graph.roots[0])
        case .database(_, let open):
            let database = try await open(type)
            try await database.save(graph, savePolicy: .overwrite)
            return try await decoder.decode(model, from: graph.roots[0], in: database)
        }
    }

    private mutating func compare<Model: Equatable>(
        _ model: Model, _ json: Result<Model, any Error>, _ found: Result<Model, any Error>, _ way: DifferentialWay,
        graph: RecordGraph?
    ) {
        func note(_ kind: Difference.Kind, _ text: @autoclosure () -> String, _ error: (any Error)? = nil) {
            // To describe values takes longer than to compare them.
            let isFew = tally.differences.count < Self.describedCount
            tally.differences.append(
                Difference(
                    type: type, place: place, way: way, kind: kind, code: (error as? RecordError)?.code,
                    text: isFew ? text() : ""))
        }
        switch (json, found) {
        case (.success(let expected), .success(let value)) where expected == value: tally.equalCount += 1
        case (_, .success(let value)) where value == model: tally.betterCount += 1
        case (_, .success(let value)):
            note(.changed, "\(value), JSON: \(json), original: \(model), \(graph.map(Array.init) ?? [])")
        case (.success, .failure(let error)):
            note(.refused, "\(error); \(model); \(graph.map(Array.init) ?? [])", error)
        case (.failure, .failure): tally.refusedByBothCount += 1
        }
    }
}
