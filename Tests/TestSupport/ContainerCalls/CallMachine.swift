import Foundation

/// What one coder does with a program.
///
/// Unchecked: each call of a coder has a machine of its own, and goes from one thread to another without being on two.
final class CallMachine: @unchecked Sendable {
    /// What was called, and what came of it: for each record, and with the number 0 for all else.
    ///
    /// Apart from each other, since a decoder of records may give the value of a record again without decoding it again.
    private var logs: [Int: [String]] = [0: []]
    private var target = 0

    /// All that was noted.
    var log: [String] { logs.merging(formerLogs) { last, _ in last }.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// Whether the coder is that of JSON.
    let isJSON: Bool

    /// The plan of the value that is decoded next.
    var pending: CallNode

    /// What was noted before the pending value was decoded for the first time.
    private var attempt: (target: Int, count: Int, records: Set<Int>)?

    /// What was noted of records in former attempts: those that failed are not decoded again in the last one.
    private var formerLogs: [Int: [String]] = [:]
    private var muteCount = 0
    private var pathlessCount = 0

    /// What types do besides, nil for nothing.
    let disturbance: CallDisturbance?

    init(_ program: CallProgram, isJSON: Bool, _ disturbance: CallDisturbance? = nil) {
        pending = program.root
        self.isJSON = isJSON
        self.disturbance = disturbance
    }

    func note(_ text: @autoclosure () -> String, _ path: [any CodingKey]) {
        if muteCount == 0 {
            logs[target, default: []].append("\(pathlessCount == 0 ? Self.text(of: path) : ""): \(text())")
        }
    }

    /// Runs a part whose coding paths are not noted.
    ///
    /// In JSON the path of a value in a nested container lacks the path of the container.
    func pathless<Result>(_ isPathless: Bool, _ body: () throws -> Result) rethrows -> Result {
        if isPathless { pathlessCount += 1 }
        defer { if isPathless { pathlessCount -= 1 } }
        return try body()
    }

    /// Runs a part whose calls are not noted.
    func muted<Result>(_ isMuted: Bool, _ body: () throws -> Result) rethrows -> Result {
        if isMuted { muteCount += 1 }
        defer { if isMuted { muteCount -= 1 } }
        return try body()
    }

    /// Runs a call, and notes what came of it.
    func call(
        _ name: @autoclosure () -> String, _ path: [any CodingKey], isCaught: Bool, _ body: () throws -> String
    ) throws {
        do {
            let result = try body()
            note("\(name()) = \(result)", path)
        } catch {
            note("\(name()) throws \(Self.text(of: error))", path)
            if !isCaught { throw error }
        }
    }

    /// Runs a call that decodes a value by a plan.
    func decode<Result>(_ node: CallNode, _ body: () throws -> Result) rethrows -> Result {
        let (outer, outerAttempt) = (pending, attempt)
        (pending, attempt) = (node, nil)
        defer { (pending, attempt) = (outer, outerAttempt) }
        return try body()
    }

    /// Begins to decode the pending value.
    ///
    /// A decoder may have a value decoded more than once in one call; the last time counts.
    func beginAttempt() {
        if let attempt {
            logs[attempt.target]?.removeSubrange(attempt.count...)
            for number in logs.keys where !attempt.records.contains(number) {
                formerLogs[number] = logs.removeValue(forKey: number)
            }
        } else {
            attempt = (target, logs[target]?.count ?? 0, Set(logs.keys))
        }
    }

    /// Notes that a record was decoded by the plan of another one: coders of records decode a record once.
    func noteMistakenRecord() {
        if !isJSON { logs[0, default: []].append(Self.mistakenRecord) }
    }

    static let mistakenRecord = "a record is read by the plan of another one"

    /// Decodes a record, whose calls are noted the first time.
    func decodeRecord<Result>(_ number: Int, _ body: () throws -> Result) rethrows -> Result {
        let isAgain = logs[number] != nil
        let outer = target
        if !isAgain {
            target = number
            logs[number] = []
        }
        defer { target = outer }
        return try muted(isAgain, body)
    }

    static func text(of path: [any CodingKey]) -> String {
        path.map { key in key.intValue.map { "\(key.stringValue)#\($0)" } ?? key.stringValue }.joined(separator: "/")
    }

    /// The text of an error that a whole call throws: the coders of records give an error of a type its place there.
    static func text(ofOutermost error: any Error) -> String {
        switch error {
        case EncodingError.invalidValue(_, let context) where context.underlyingError is CallError:
            context.underlyingError.map(text(of:)) ?? ""
        case DecodingError.dataCorrupted(let context) where context.ownError is CallError:
            context.ownError.map(text(of:)) ?? ""
        default: text(of: error)
        }
    }

    static func text(of error: any Error) -> String {
        switch error {
        case let error as CallError: "own error \(error.number)"
        case EncodingError.invalidValue(_, let context): "invalidValue at \(text(of: context.codingPath))"
        // JSON's decoder has one of these for null where a Boolean is asked for, and the other one for other types.
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "another value at \(text(of: context.codingPath))"
        case DecodingError.keyNotFound(let key, let context):
            "keyNotFound \(key.stringValue) at \(text(of: context.codingPath))"
        case DecodingError.dataCorrupted(let context): "dataCorrupted at \(text(of: context.codingPath))"
        default: "\(error)"
        }
    }
}

/// An error of a program's own.
struct CallError: Error { let number: Int }

extension CodingUserInfoKey {
    static let callMachine = CodingUserInfoKey(rawValue: "CallMachine").unsafelyUnwrapped
}

extension Encoder {
    func callMachine() throws -> CallMachine {
        guard let machine = userInfo[.callMachine] as? CallMachine else { throw CallError(number: -1) }
        return machine
    }
}

extension Decoder {
    func callMachine() throws -> CallMachine {
        guard let machine = userInfo[.callMachine] as? CallMachine else { throw CallError(number: -1) }
        return machine
    }
}
