import TestSupport
import Testing

@testable import NestedRecords

@Suite struct JSONWriterTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-1", "10", "9223372036854775807", "-9223372036854775808", "1.0", "-0.0", "0.1",
        "1e+20", "5e-324", "1.7976931348623157e+308", "[]", "{}", "[[],{}]", "\"\"",
        #"{"a":[1,2.5,"x"],"b":{"c":null},"d":[{"e":false},[]]}"#, #""é港💧 / «»""#,
        #""\"\\\b\f\n\r\t\u0000\u001b\u007f\u0085\u009f\u2028\u2029""#,
    ])
    func compactFormComesBackAsItIs(text: String) throws {
        #expect(try written(text, .compact) == text)
    }

    @Test func prettyFormHasALineForEachValue() throws {
        let text = #"{"a":[1,{}],"b":{"c":[],"d":{"e":null}}}"#
        let lines = """
            {
              "a": [
                1,
                {}
              ],
              "b": {
                "c": [],
                "d": {
                  "e": null
                }
              }
            }
            """
        #expect(try written(text, .pretty) == lines)
        #expect(try written(lines, .compact) == text)
    }

    @Test(arguments: [0.1, 1, -3, 1e15, 1e16, 1e22, 123_456.789, 1.0 / 3, .pi, .leastNonzeroMagnitude])
    func numberStaysTheSameDouble(number: Double) throws {
        var writer = JSONWriter()
        writer.write(number)
        var reader = JSONReader()
        #expect(try reader.value(in: writer.bytes) == JSONValue(.number(number)))
    }

    @Test func randomNumbersStayTheSame() throws {
        var reader = JSONReader()
        for _ in 0..<20_000 {
            let number = Double(bitPattern: .random(in: .min ... .max))
            guard number.isFinite else { continue }
            var writer = JSONWriter()
            writer.write(number)
            #expect(try reader.value(in: writer.bytes) == JSONValue(.number(number)))
        }
    }

    @Test func documentsFollowEachOther() {
        var writer = JSONWriter()
        writer.write(Int64(1))
        writer.endLine()
        #expect(writer.takeBytes() == Array("1\n".utf8))
        writer.beginList()
        writer.write(true)
        #expect(writer.takeBytes() == Array("[true".utf8))
        writer.write(plain: "x")
        writer.endList()
        writer.endLine()
        writer.beginObject()
        writer.writeKey(plain: "k")
        writer.write(Int64(-12))
        writer.endObject()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == ",\"x\"]\n{\"k\":-12}")
    }

    private func written(_ text: String, _ layout: JSONWriter.Layout) throws -> String {
        var reader = JSONReader()
        var writer = JSONWriter(layout)
        writer.write(try reader.value(in: Array(text.utf8)))
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
