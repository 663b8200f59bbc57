import NestedRecords
import Testing

/// Far more types than a coder may expect to meet.
@Suite(.timeLimit(.minutes(10))) struct ManyTypesReuseTests {
    protocol Digit: SendableMetatype { static var value: Int { get } }

    enum Zero: Digit { static var value: Int { 0 } }
    enum One: Digit { static var value: Int { 1 } }
    enum Two: Digit { static var value: Int { 2 } }
    enum Three: Digit { static var value: Int { 3 } }
    enum Four: Digit { static var value: Int { 4 } }
    enum Five: Digit { static var value: Int { 5 } }
    enum Six: Digit { static var value: Int { 6 } }

    static let digits: [any Digit.Type] = [Zero.self, One.self, Two.self, Three.self, Four.self, Five.self, Six.self]

    protocol Numbered: RecordCodable {
        static var number: Int { get }
        init(text: String)
        var text: String { get }
    }

    /// A type for each number of four digits, with keys of its own.
    struct Number<A: Digit, B: Digit, C: Digit, D: Digit>: Numbered {
        static var number: Int { ((A.value * 7 + B.value) * 7 + C.value) * 7 + D.value }
        static var recordType: String { "Number\(number)" }
        static var ignoredProperties: Set<String> { number.isMultiple(of: 3) ? ["extra"] : [] }
        var recordName: String { "n" }
        var text: String
        var extra: Int?
        var inner: Inner

        struct Inner: Codable {
            var number = Number.number
            var list: [Int] = [1]
        }

        init(text: String) {
            self.text = text
            extra = Self.number
            inner = Inner()
        }
    }

    private static func type(_ number: Int) -> any Numbered.Type {
        func four<A: Digit, B: Digit, C: Digit, D: Digit>(
            _: A.Type, _: B.Type, _: C.Type, _: D.Type
        ) -> any Numbered.Type { Number<A, B, C, D>.self }
        let a: any Digit.Type = digits[number / 343 % 7]
        let b: any Digit.Type = digits[number / 49 % 7]
        let c: any Digit.Type = digits[number / 7 % 7]
        let d: any Digit.Type = digits[number % 7]
        return four(a, b, c, d)
    }

    private static func fault<Model: Numbered>(_ type: Model.Type, _ text: String) throws -> String? {
        let graph = try RecordEncoder().encode(Model(text: text))
        let number = Model.number
        let extra = number.isMultiple(of: 3) ? "" : "extra: \(number), "
        let line = #"Number\#(number)/n {text: "\#(text)", \#(extra)inner: {number: \#(number), list: [1]}}"#
        guard graph.lines == [line] else { return "\(graph)" }
        let read = try RecordDecoder().decode(Model.self, from: graph)
        return read.text == text ? nil : read.text
    }

    @Test func callsOfEverNewTypesAreRight() throws {
        for number in 0..<2_401 {
            let fault = try Self.fault(Self.type(number), "first \(number)")
            #expect(fault == nil)
            // One that was met long ago, and one that was met just now.
            if number.isMultiple(of: 10) {
                #expect(try Self.fault(Self.type(number / 7), "again") == nil)
                #expect(try Self.fault(Self.type(max(0, number - 1)), "again") == nil)
            }
        }
    }

    struct All: RecordEncodable {
        static var recordType: String { "All" }
        var recordName: String { "all" }
        var numbers: [Int]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for number in numbers { try container.encode(ManyTypesReuseTests.type(number).init(text: "\(number)")) }
        }
    }

    @Test func oneCallMayMeetAllOfThem() throws {
        for numbers in [Array(0..<2_401), [5], Array((0..<700).reversed())] {
            let graph = try RecordEncoder().encode(All(numbers: numbers))
            #expect(graph.count == numbers.count + 1)
            for (record, number) in zip(graph, numbers) {
                guard record.id.type == "Number\(number)", record["text"] == .string("\(number)"),
                    record["inner"] == .map(["number": .int(Int64(number)), "list": .list([.int(1)])]),
                    record["extra"] == (number.isMultiple(of: 3) ? nil : .int(Int64(number)))
                else {
                    Issue.record("\(record)")
                    return
                }
            }
        }
    }
}
