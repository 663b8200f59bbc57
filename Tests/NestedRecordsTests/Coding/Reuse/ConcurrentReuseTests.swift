import Foundation
import NestedRecords
import TestSupport
import Testing

/// Many small calls of several types at the same time, each with a result that is known to the last field.
@Suite(.timeLimit(.minutes(60))) struct ConcurrentReuseTests {
    struct Leaf: RecordCodable, Identifiable, Equatable {
        var id: Int
        var text: String
    }

    struct Branch: RecordCodable, Identifiable, Equatable {
        var id: Int
        var leaves: [Leaf]
        var names: [String: [Int]]
    }

    final class Node: RecordCodable {
        static var recordType: String { "Node" }
        var recordName: String { "\(number)" }
        let number: Int
        let next: Node?
        init(_ number: Int, next: Node?) { (self.number, self.next) = (number, next) }
    }

    enum Choice: Codable, Equatable {
        case number(Int)
        case pair(left: String, right: [Leaf])
        case none
    }

    struct Chooser: RecordCodable, Equatable {
        static var recordType: String { "Chooser" }
        static var schema: RecordSchema { RecordSchema(ignoring: ["cache"]) }
        var recordName: String { "c\(choices.count)" }
        var choices: [Choice]
        var cache: Int?
        var data: Data
    }

    struct Dynamic: DynamicRecordRepresentable, Codable, Equatable {
        static var recordType: String { "Dynamic" }
        var recordType: String { "Dynamic\(kind)" }
        var recordName: String { "d" }
        var kind: Int
    }

    /// Takes one value through the coders, and tells what is wrong with what comes back.
    private static func fault(_ number: Int) throws -> String? {
        func check(_ lines: [String], _ expected: [String], _ isEqual: Bool) -> String? {
            lines == expected && isEqual ? nil : "\(number): \(lines)"
        }
        let leaf = Leaf(id: number, text: "t\(number)")
        let leafLine = #"Leaf/\#(number) {id: \#(number), text: "t\#(number)"}"#
        switch number % 6 {
        case 0:
            let graph = try RecordEncoder().encode(leaf)
            return check(graph.lines, [leafLine], try RecordDecoder().decode(Leaf.self, from: graph) == leaf)
        case 1:
            let branch = Branch(id: number, leaves: [leaf, leaf], names: ["b": [number], "a": []])
            let graph = try RecordEncoder().encode(branch)
            let reference = "→ Leaf/\(number)"
            let line =
                "Branch/\(number) {id: \(number), leaves: [\(reference), \(reference)], names: {a: [], b: [\(number)]}}"
            let read = try RecordDecoder().decode(Branch.self, from: graph)
            return check(graph.lines, [leafLine, line], read == branch)
        case 2:
            let graph = try RecordEncoder().encode(Node(number, next: Node(number + 1, next: nil)))
            let lines = [
                "Node/\(number + 1) {number: \(number + 1)}",
                "Node/\(number) {number: \(number), next: → Node/\(number + 1)}",
            ]
            let read = try RecordDecoder().decode(Node.self, from: graph)
            return check(graph.lines, lines, read.number == number && read.next?.number == number + 1)
        case 3:
            let chooser = Chooser(
                choices: [.number(number), .none, .pair(left: "l\(number)", right: [leaf])],
                data: Data([UInt8(truncatingIfNeeded: number)]))
            let graph = try RecordEncoder().encode(chooser)
            let line =
                "Chooser/c3 {choices: [{number: {_0: \(number)}}, {none: {}}, "
                + "{pair: {left: \"l\(number)\", right: [→ Leaf/\(number)]}}], data: 1 bytes}"
            let read = try RecordDecoder().decode(Chooser.self, from: graph)
            return check(graph.lines, [leafLine, line], read == chooser)
        case 4:
            let dynamic = Dynamic(kind: number)
            let graph = try RecordEncoder().encode(dynamic)
            let read = try RecordDecoder().decode(Dynamic.self, from: graph)
            return check(graph.lines, ["Dynamic\(number)/d {kind: \(number)}"], read == dynamic)
        default:
            let conflict = [leaf, Leaf(id: number, text: "other")]
            do { return "\(try RecordEncoder().encode(conflict).lines)" } catch {
                let text =
                    "two values with the ID Leaf/\(number) differ in field 'text': one is at '[0]', the other at '[1]'"
                return "\(error)" == text ? nil : "\(error)"
            }
        }
    }

    @Test func callsOfManyTasksAreRight() async throws {
        try await withThrowingTaskGroup(of: String?.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<800 {
                        if let fault = try Self.fault(task * 10_007 + number) { return fault }
                    }
                    return nil
                }
            }
            for try await fault in group { #expect(fault == nil) }
        }
    }

    @Test func threadsMayEndBetweenCalls() throws {
        for number in 0..<200 {
            let faults = try inOtherThread { try (0..<6).map { try Self.fault(number * 6 + $0) } }
            #expect(faults.allSatisfy { $0 == nil })
        }
        #expect(try Self.fault(1) == nil)
    }

    @Test func manyThreadsAtOnceAreRight() async throws {
        // More of them than anybody would keep state for.
        let faults = Locked<[String]>([])
        await withCheckedContinuation { continuation in
            let left = Locked(40)
            for thread in 0..<40 {
                Thread.detachNewThread {
                    for number in 0..<30 {
                        let fault = Result { try Self.fault(thread * 31 + number) }
                        if case .success(nil) = fault { continue }
                        faults.withLock { $0.append("\(fault)") }
                    }
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
        #expect(faults.withLock { $0 }.isEmpty)
    }
}
