import Foundation
import NestedRecords

/// What the coders of JSON and those of records do with a program.
package struct CallComparison {
    /// The first line of the logs that differs, nil if there is none.
    package let difference: String?

    /// Both logs, for people.
    package let report: String

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - disturbance: What types do besides while they are coded to and from records.
    ///   - way: How fields are named, and what becomes of the records before they are read.
    package init(_ program: CallProgram, _ disturbance: CallDisturbance? = nil, way: CallWay = .graph) {
        self.init(program) { Self.records(program, disturbance, way) }
    }

    /// Runs a program whose records are saved and fetched.
    package static func inDatabase(_ program: CallProgram) async -> CallComparison {
        let found = await fetched(program)
        return CallComparison(program) { found }
    }

    private init(_ program: CallProgram, _ run: () -> [String]) {
        // A record without fields is a record; JSON has no text for it.
        guard !program.root.isNothing else {
            (difference, report) = (nil, "")
            return
        }
        let (json, records) = (Self.json(program), run())
        // A record is read by a plan for another one, whose name is another.
        let mistakes = ["does not match record Call/", CallMachine.mistakenRecord]
        guard !records.contains(where: { line in mistakes.contains { line.contains($0) } }) else {
            (difference, report) = (nil, "")
            return
        }
        var difference: String?
        var hasLeak = false
        for position in 0..<max(json.count, records.count) where difference == nil {
            let left = position < json.count ? json[position] : "nothing"
            let right = position < records.count ? records[position] : "nothing"
            hasLeak = hasLeak || left.contains(Self.leak)
            if !Self.areEqual(left, right, hasLeak: hasLeak) {
                difference = "JSON: \(left)\nrecords: \(right)"
            }
        }
        self.difference = difference
        report =
            difference == nil
            ? ""
            : "program \(program.text)\nJSON:\n    " + json.joined(separator: "\n    ") + "\nrecords:\n    "
                + records.joined(separator: "\n    ")
    }

    /// JSON's decoder throws an error of its own, without a path, for a fraction where an integer is asked for.
    ///
    /// Outermost
    /// it is given another kind.
    private static let leak = "throws numberIsNotRepresentableInSwift"

    private static func areEqual(_ json: String, _ records: String, hasLeak: Bool) -> Bool {
        if json == records || json.replacing("throws dataCorrupted", with: "throws another value") == records {
            return true
        }
        if hasLeak, json == "throws dataCorrupted at " { return records.hasPrefix("throws another value") }
        guard let place = json.range(of: leak) else { return false }
        return records.hasPrefix(json[..<place.lowerBound] + "throws another value")
    }

    private static func json(_ program: CallProgram) -> [String] {
        let encoder = JSONEncoder()
        let writing = CallMachine(program, isJSON: true)
        encoder.userInfo[.callMachine] = writing
        let data: Data
        do { data = try encoder.encode(CallRecord(program.root)) } catch {
            return writing.log + ["throws \(CallMachine.text(ofOutermost: error))"]
        }
        let decoder = JSONDecoder()
        let reading = CallMachine(program, isJSON: true)
        decoder.userInfo[.callMachine] = reading
        let result = Result { try decoder.decode(CallRecord.self, from: data) }
        return writing.log + reading.log + [text(of: result)]
    }

    private static func records(
        _ program: CallProgram, _ disturbance: CallDisturbance?, _ way: CallWay
    ) -> [String] {
        func call<Result>(_ body: () throws -> Result) rethrows -> Result {
            try disturbance?.call(body) ?? body()
        }
        var (encoder, decoder) = way.strategy.coders
        let writing = CallMachine(program, isJSON: false, disturbance)
        encoder.coding.userInfo[.callMachine] = writing
        let graph: RecordGraph
        do {
            graph = try way.carry(call { try encoder.encode(CallRecord(program.root)) })
        } catch { return writing.log + ["throws \(CallMachine.text(ofOutermost: error))"] }
        let reading = CallMachine(program, isJSON: false, disturbance)
        decoder.coding.userInfo[.callMachine] = reading
        let result = Result { try call { try decoder.decode(CallRecord.self, from: graph, root: graph.roots[0]) } }
        return writing.log + reading.log + [text(of: result)]
    }

    private static func fetched(_ program: CallProgram) async -> [String] {
        var (encoder, decoder) = DifferentialStrategy.plain.coders
        let (writing, reading) = (CallMachine(program, isJSON: false), CallMachine(program, isJSON: false))
        encoder.coding.userInfo[.callMachine] = writing
        decoder.coding.userInfo[.callMachine] = reading
        let graph: RecordGraph
        do { graph = try encoder.encode(CallRecord(program.root)) } catch {
            return writing.log + ["throws \(CallMachine.text(ofOutermost: error))"]
        }
        let result: Result<CallRecord, any Error>
        do {
            let database = InMemoryRecordDatabase()
            try await database.save(graph)
            result = .success(try await decoder.decode(CallRecord.self, from: graph.roots[0], in: database))
        } catch { result = .failure(error) }
        return writing.log + reading.log + [text(of: result)]
    }

    private static func text(of result: Result<CallRecord, any Error>) -> String {
        switch result {
        case .success(let value): "decoded \(value.node.number)"
        case .failure(let error): "throws \(CallMachine.text(ofOutermost: error))"
        }
    }
}

/// How the records of a program are written, and what becomes of them.
package struct CallWay: Sendable, CustomStringConvertible {
    package let description: String
    let strategy: DifferentialStrategy
    let carry: @Sendable (RecordGraph) throws -> RecordGraph

    private init(_ path: DifferentialPath, _ strategy: DifferentialStrategy = .plain) {
        description = "\(path.name), \(strategy.name)"
        self.strategy = strategy
        carry = if case .form(_, let carry) = path { carry } else { { $0 } }
    }

    package static let graph = CallWay(.graph)

    /// The forms of records, and fields with other names.
    ///
    /// Not flattened ones: an object without a field of its own is not there for a type that is not an object.
    package static let others =
        [CallWay(.binary), CallWay(.lines), CallWay(.typedJSON)]
        + DifferentialStrategy.others.filter { $0.embedding == .map }.map { CallWay(.graph, $0) }
}
