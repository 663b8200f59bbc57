import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct JSONObjectTests {
    private static func object(_ json: String, _ options: JSONSerialization.ReadingOptions = []) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(json.utf8), options: options.union(.fragmentsAllowed))
    }

    private static func json(_ object: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes]
        return String(decoding: try JSONSerialization.data(withJSONObject: object, options: options), as: UTF8.self)
    }

    private static func path(_ error: any Error) -> String? {
        switch error {
        case DecodingError.dataCorrupted(let context): context.codingPath.map(\.stringValue).joined(separator: "/")
        case EncodingError.invalidValue(_, let context): "\(context.codingPath.count)"
        default: nil
        }
    }

    @Test(
        arguments: [[], .mutableContainers, [.mutableContainers, .mutableLeaves]] as [JSONSerialization.ReadingOptions])
    func objectOfJSONSerializationIsRead(_ options: JSONSerialization.ReadingOptions) throws {
        let json = """
            {"b": [true, false, 1, 0, 2, -3, 9223372036854775807, -9223372036854775808, 9007199254740993],
             "d": [1.5, 0.1, -0.0, 2.0, 1e2, 5e-324], "n": null, "e": [[], {}, ""], "s": "true", "k": {"1": "1"}}
            """
        let value = try Record.Value(jsonObject: try Self.object(json, options))
        let expected: Record.Value = .map([
            "b": .list([
                .bool(true), .bool(false), .int(1), .int(0), .int(2), .int(-3), .int(.max), .int(.min),
                .int(9_007_199_254_740_993),
            ]),
            "d": .list([
                .double(1.5), .double(0.1), .double(-0.0), .int(2), .int(100), .double(.leastNonzeroMagnitude),
            ]),
            "e": .list([.list([]), .map([:]), .string("")]), "k": .map(["1": .string("1")]), "n": .null,
            "s": .string("true"),
        ])
        #expect(value == expected)
        #expect(value == (try JSONDecoder().decode(Record.Value.self, from: Data(json.utf8))))
        guard case .map(let fields) = value else { return }
        #expect(fields.map(\.name) == ["b", "d", "e", "k", "n", "s"])
    }

    @Test func everyKindOfValueComesBackThroughJSONSerialization() throws {
        for (value, text) in try TypedJSONTests.forms() {
            let object = try value.jsonObject()
            let written = try Self.json(object)
            #expect(try Record.Value(jsonObject: object) == value, "\(text)")
            #expect(try Record.Value(jsonObject: try Self.object(written)) == value, "\(text) is \(written)")
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let encoded = try encoder.encode(value)
            #expect(try JSONDecoder().decode(Record.Value.self, from: Data(written.utf8)) == value, "\(written)")
            let other = try Self.object(String(decoding: encoded, as: UTF8.self))
            #expect(try Record.Value(jsonObject: other) == value, "\(text)")
        }
    }

    @Test func objectHasTheTypesOfJSONSerialization() throws {
        let value: Record.Value = .map(["a": .list([.null, .bool(true), .int(1), .double(0.5), .string("x")])])
        let object = try #require(try value.jsonObject() as? [String: Any])
        let list = try #require(object["a"] as? [Any])
        #expect(list[0] is NSNull && list[1] as? Bool == true && list[2] as? Int64 == 1)
        #expect(list[3] as? Double == 0.5 && list[4] as? String == "x" && JSONSerialization.isValidJSONObject(object))
    }

    @Test func valuesOfSwiftAreRead() throws {
        let object: [String: Any] = [
            "bool": false, "int": 1, "small": UInt8(2), "large": UInt64(1 << 62), "double": 2.5, "whole": 3.0,
            "float": Float(0.5), "null": NSNull(), "number": NSNumber(value: 7), "true": NSNumber(value: true),
            "strings": ["x"], "numbers": ["a": 1],
        ]
        let expected: Record.Value = .map([
            "bool": .bool(false), "double": .double(2.5), "float": .double(0.5), "int": .int(1), "large": .int(1 << 62),
            "null": .null, "number": .int(7), "numbers": .map(["a": .int(1)]), "small": .int(2),
            "strings": .list([.string("x")]), "true": .bool(true), "whole": .int(3),
        ])
        #expect(try Record.Value(jsonObject: object) == expected)
    }

    @Test func whatJSONDoesNotHaveIsRefusedWithItsPath() throws {
        let cases: [(Any, String)] = [
            (Date(), "Date"), (Data(), "Data"), (Double.nan, "nan"), (-Double.infinity, "-inf"),
            (UInt64.max, "64 bits"),
            (NSNumber(value: UInt64.max), "64 bits"), (Decimal(1), "Decimal"),
            (["k": 1, 2: 3] as [AnyHashable: Any], "Dictionary"),
            (["$date": "yesterday"], "a date with time and zone"),
            (["$ref": "x", "y": 1] as [String: Any], "ID of a record"),
            (try Self.object("1e300"), "64 bits"), (try Self.object("18446744073709551615"), "64 bits"),
            (Int?.none as Any, "Optional"),
        ]
        for (object, reason) in cases {
            let error = #expect(throws: DecodingError.self) {
                try Record.Value(jsonObject: ["a": ["x", ["b": object]]] as [String: Any])
            }
            let path = error.flatMap(Self.path)
            #expect(path?.hasPrefix("a/Index 1/b") == true, "\(object): \(String(describing: error))")
            guard case .dataCorrupted(let context) = error else { continue }
            #expect(context.debugDescription.contains(reason), "\(context.debugDescription)")
        }
    }

    @Test func nestingIsLimitedAsInJSONSerialization() throws {
        func nested(_ depth: Int) -> Record.Value { (1..<depth).reduce(.list([])) { list, _ in .list([list]) } }
        let object = try nested(512).jsonObject()
        #expect(try Record.Value(jsonObject: object) == nested(512))
        #expect(throws: DecodingError.self) { try Record.Value(jsonObject: [object]) }
        let error = #expect(throws: EncodingError.self) { try nested(513).jsonObject() }
        #expect(error.flatMap(Self.path) == "512")
        // Foundation recurses into lists, which needs a larger stack than that of a task.
        let shallow = try Self.object(try Self.json(try nested(50).jsonObject()))
        #expect(try Record.Value(jsonObject: shallow) == nested(50))
    }
}
