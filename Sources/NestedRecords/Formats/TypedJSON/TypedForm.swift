enum TypedForm {
    /// The maximum nesting depth of lists and objects in a document.
    ///
    /// It allows the maximum nesting of a field, with two levels for each marked map, in the fields of a record.
    static let maximumDepth = 2 * BinaryFormat.maximumNesting + 3

    private struct Container {
        let object: JSONObject?
        let elements: [JSONValue]
        var values: [Record.Value] = []

        init(_ elements: [JSONValue], of object: JSONObject? = nil) {
            self.object = object
            self.elements = elements
            values.reserveCapacity(elements.count)
        }

        var value: Record.Value {
            object.map { .map(Record.Fields($0.names, values: values)) } ?? .list(values)
        }
    }

    static func value(_ value: JSONValue) throws(JSONFault) -> Record.Value {
        if let value = try scalar(value) { return value }
        // Without recursion: a file may be nested more deeply than any stack allows.
        var open = [try container(value)]
        while let last = open.indices.last {
            guard open[last].values.count < open[last].elements.count else {
                let value = open.removeLast().value
                guard last > 0 else { return value }
                open[last - 1].values.append(value)
                continue
            }
            let element = open[last].elements[open[last].values.count]
            if let value = try scalar(element) {
                open[last].values.append(value)
                continue
            }
            guard open.count < BinaryFormat.maximumNesting else {
                let limit = BinaryFormat.maximumNesting
                let reason = "found more than \(limit) nested lists and maps, expected fewer"
                throw JSONFault(reason: reason, offset: element.offset)
            }
            open.append(try container(element))
        }
        return .null
    }

    /// The value, unless it is a list or a map; nil for these.
    private static func scalar(_ value: JSONValue) throws(JSONFault) -> Record.Value? {
        switch value.content {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .int(value)
        case .number(let number):
            // No integer is −0.
            guard number.rounded() == number, number != 0 || number.sign == .plus else { return .double(number) }
            // From 2⁵³ on, a Double may differ from the written integer.
            if number.magnitude < 0x1p53 { return .int(Int64(number)) }
            let reason =
                Int64(exactly: number) == nil
                ? "found an integer that 64 bits do not hold" : "found a fraction or an exponent in a large integer"
            throw JSONFault(
                reason: "\(reason), expected {\"$double\": \(number)} for a number", offset: value.offset)
        case .text(let value): return .string(value)
        case .array: return nil
        case .object(let object):
            guard let key = mark(of: object), key != Record.Value.Kind.map.mark else { return nil }
            return try marked(object, key, at: value.offset)
        }
    }

    private static func container(_ value: JSONValue) throws(JSONFault) -> Container {
        if case .array(let elements) = value.content { return Container(elements) }
        let object = try value.object(expected: "a list or a map")
        guard let mark = mark(of: object) else { return Container(object.values, of: object) }
        var members = TypedMembers(object, at: value.offset)
        let content = try members.required(mark)
        try members.expectNoOther()
        let map = try content.object(expected: "the object that is marked as a map")
        return Container(map.values, of: map)
    }

    private static func mark(of object: JSONObject) -> String? { object.keys.first(where: TypedKey.isMark) }
}
