import NestedRecords

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONWriter {
    /// Writes the value of a field in the typed form: plain where JSON says it all, else as an object with a mark.
    ///
    /// - Parameter value: The value, with all that is in it.
    mutating func write(typed value: Record.Value) {
        // Without recursion: values may be nested more deeply than a stack holds.
        var open: [TypedContainer] = []
        var next: Record.Value? = value
        while true {
            switch next {
            case .list(let values):
                beginList()
                open.append(.list(values[...]))
            case .map(let fields):
                let isMarked = fields.contains { $0.name.utf8.first == UInt8(ascii: "$") }
                if isMarked { beginMark("$map") }
                beginObject()
                open.append(.map(fields, next: 0, isMarked: isMarked))
            case let scalar?:
                write(typedScalar: scalar)
            case nil: break
            }
            guard let last = open.indices.last else { return }
            next = nextElement(of: &open[last])
            if next == nil { end(open.removeLast()) }
        }
    }

    /// A list or a map that was begun, and what of it is still to be written.
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

    private mutating func write(typedScalar value: Record.Value) {
        switch value {
        case .null: writeNull()
        case .bool(let value): write(value)
        case .int(let value): write(value)
        case .double(let value) where value.isFinite && value.rounded() != value: write(value)
        case .double(let value): writeMark("$double") { $0.write(exact: value) }
        case .string(let value): write(value)
        case .date(let value):
            writeMark("$date") { json in
                if let text = value.recordText {
                    json.write(plain: text)
                } else {
                    json.write(exact: value.timeIntervalSinceReferenceDate)
                }
            }
        case .bytes(let value): writeMark("$bytes") { $0.write(plain: value.base64EncodedString()) }
        case .location(let value): writeMark("$location") { $0.write(plain: value.description) }
        case .reference(let value):
            writeMark("$ref") { json in
                json.write(value.id.description)
                if value.isLink {
                    json.writeKey(plain: "link")
                    json.write(true)
                }
                guard value.action != .none else { return }
                json.writeKey(plain: "action")
                json.write(plain: value.action.rawValue)
            }
        case .serverTimestamp: writeMark("$serverTimestamp") { $0.write(true) }
        case .list, .map: write(typed: value)
        }
    }

    /// Writes a number that may be none that JSON knows.
    private mutating func write(exact value: Double) {
        if value.isFinite { write(value) } else { write(plain: value.description) }
    }

    private mutating func beginMark(_ mark: StaticString) {
        beginObject()
        writeKey(plain: mark)
    }

    private mutating func writeMark(_ mark: StaticString, _ content: (inout JSONWriter) -> Void) {
        beginMark(mark)
        content(&self)
        endObject()
    }
}
