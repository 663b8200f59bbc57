import NestedRecords

/// Numbers in the JSON form of protocol buffers.
enum NativeValue {
    static func double(_ value: Double) -> JSONValue {
        let json: JSONValue =
            value.isNaN
            ? .text("NaN")
            : value.isInfinite ? .text(value < 0 ? "-Infinity" : "Infinity") : JSONValue(.number(value))
        return .object(["doubleValue": json])
    }

    /// The number of the member `doubleValue`.
    static func double(_ json: JSONValue) -> Double? {
        switch json.text {
        case nil: json.double
        case "NaN": .nan
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        case let text?: Double(text)
        }
    }

    /// The number of the member `integerValue`, which is text, since JSON's numbers are floating-point numbers to many.
    static func integer(_ json: JSONValue) -> Int64? {
        if case .integer(let value) = json.content { value } else { json.text.flatMap { Int64($0) } }
    }

    static func integer(_ value: Int64) -> JSONValue { .object(["integerValue": .text(String(value))]) }
}
