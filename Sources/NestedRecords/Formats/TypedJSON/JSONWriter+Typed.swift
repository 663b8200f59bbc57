extension JSONWriter {
    /// Writes the value of a field in the typed form: plain if JSON has a form for it, otherwise as a marked object.
    ///
    /// - Parameters:
    ///   - value: The value, with its elements.
    ///   - maximumNesting: The maximum number of lists and maps nested in it.
    /// - Returns: Whether the value was written; false if it is nested more deeply.
    @discardableResult
    package mutating func write(typed value: Record.Value, maximumNesting: Int = .max) -> Bool {
        // Without recursion: values may be nested more deeply than a stack holds.
        var open: [TypedContainer] = []
        var next: Record.Value? = value
        while true {
            switch next {
            case .list(let values):
                beginList()
                open.append(.list(values[...]))
            case .map(let fields):
                let isMarked = fields.needMark
                if isMarked {
                    beginObject()
                    writeKey(plain: TypedMark.map.rawValue)
                }
                beginObject()
                open.append(.map(fields, next: 0, isMarked: isMarked))
            case let scalar?:
                if let scalar = TypedScalar(scalar) { write(scalar) }
            case nil: break
            }
            guard open.count <= maximumNesting else { return false }
            guard let last = open.indices.last else { return true }
            next = nextElement(of: &open[last])
            if next == nil { end(open.removeLast()) }
        }
    }

    /// A list or a map that was begun, and its remaining elements.
    private enum TypedContainer {
        case list(ArraySlice<Record.Value>)
        case map(Record.Fields, next: Int, isMarked: Bool)
    }

    private mutating func nextElement(of container: inout TypedContainer) -> Record.Value? {
        switch container {
        case .list(var rest):
            let element = rest.popFirst()
            container = .list(rest)
            return element
        case .map(let fields, let next, let isMarked):
            guard next < fields.count else { return nil }
            let (name, value) = fields[next]
            writeKey(name)
            container = .map(fields, next: next + 1, isMarked: isMarked)
            return value
        }
    }

    private mutating func end(_ container: TypedContainer) {
        switch container {
        case .list: endList()
        case .map(_, _, let isMarked):
            endObject()
            if isMarked { endObject() }
        }
    }

    // Inlined together with the initializers of the form, so that no form is allocated: that would take 6 % more
    // instructions.
    @inline(__always)
    private mutating func write(_ scalar: TypedScalar) {
        guard let mark = scalar.mark else { return write(scalar.content) }
        beginObject()
        writeKey(plain: mark.rawValue)
        if mark != .reference, case .string(let value) = scalar.content {
            // The text of dates, bytes, locations and numbers needs no escapes.
            write(plain: value)
        } else {
            write(scalar.content)
        }
        if scalar.isLink {
            writeKey(plain: TypedKey.link)
            write(true)
        }
        if scalar.action != .none {
            writeKey(plain: TypedKey.action)
            write(scalar.action.rawValue)
        }
        endObject()
    }

    @inline(__always)
    private mutating func write(_ content: TypedScalar.Content) {
        switch content {
        case .null: writeNull()
        case .bool(let value): write(value)
        case .integer(let value): write(value)
        case .number(let value): write(value)
        case .string(let value): write(value)
        }
    }
}
