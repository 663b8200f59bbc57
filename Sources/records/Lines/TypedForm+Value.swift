import NestedRecords

extension TypedForm {
    /// A list or a map whose elements are not all made yet.
    private struct Container {
        /// The keys of a map, nil for a list.
        let keys: [String]?
        let elements: [JSONValue]
        var values: [Record.Value] = []
        var fields = Record.Fields()

        /// How many elements are made.
        var count = 0

        init(_ elements: [JSONValue]) {
            keys = nil
            self.elements = elements
            values.reserveCapacity(elements.count)
        }

        init(_ object: JSONObject) {
            keys = object.keys
            elements = object.values
        }

        var value: Record.Value { keys == nil ? .list(values) : .map(fields) }

        mutating func append(_ value: Record.Value) {
            if let keys { fields[keys[count]] = value } else { values.append(value) }
            count += 1
        }
    }

    /// The value of a field that a JSON value stands for.
    ///
    /// - Parameter value: The typed form.
    /// - Throws: ``JSONFault`` for objects with an unknown mark or a wrong content, and for integers beyond a field.
    static func value(_ value: JSONValue) throws -> Record.Value {
        if let value = try scalar(value) { return value }
        // Without recursion: what a file may nest is more than every stack holds.
        var open = [try container(value)]
        while let last = open.indices.last {
            guard open[last].count < open[last].elements.count else {
                let value = open.removeLast().value
                guard last > 0 else { return value }
                open[last - 1].append(value)
                continue
            }
            let element = open[last].elements[open[last].count]
            if let value = try scalar(element) {
                open[last].append(value)
            } else {
                open.append(try container(element))
            }
        }
        return .null
    }

    /// What a value is that is no list and no map; nil for these.
    private static func scalar(_ value: JSONValue) throws -> Record.Value? {
        switch value.content {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .int(value)
        case .number(let number):
            guard number.rounded() == number else { return .double(number) }
            if let integer = Int64(exactly: number) { return .int(integer) }
            let reason = "found an integer that 64 bits do not hold, expected {\"$double\": \(number)} for a number"
            throw JSONFault(reason: reason, offset: value.offset)
        case .text(let value): return .string(value)
        case .array: return nil
        case .object(let object):
            guard let mark = mark(of: object), object.keys[mark] != mapMark else { return nil }
            return try marked(object, object.keys[mark], object.values[mark], at: value.offset)
        }
    }

    /// A list or a map before its elements are made.
    private static func container(_ value: JSONValue) throws -> Container {
        if case .array(let elements) = value.content { return Container(elements) }
        let object = try value.object(expected: "a list or a map")
        guard mark(of: object) != nil else { return Container(object) }
        var members = TypedMembers(object, at: value.offset)
        let content = try members.required(mapMark)
        try members.expectNoOther()
        return Container(try content.object(expected: "the object that is marked as a map"))
    }

    private static let mapMark = "$map"

    /// The position of the first key that is a mark.
    private static func mark(of object: JSONObject) -> Int? {
        // The conformance asks for a first character, so a mark with an accent on it is none.
        object.keys.firstIndex { $0.utf8.first == UInt8(ascii: "$") && $0.hasPrefix("$") }
    }
}
