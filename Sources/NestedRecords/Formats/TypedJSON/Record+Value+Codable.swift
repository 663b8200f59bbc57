extension Record.Value: Codable {
    /// Writes the typed form: plain values if JSON has a form for them, otherwise marked objects.
    ///
    /// | value | form |
    /// | --- | --- |
    /// | reference | `{"$ref": "Person/1"}`, with `"link": true` and `"action": "deleteSelf"` where they apply |
    /// | date | `{"$date": "2001-02-03T04:05:06.789Z"}`, or seconds since 2001 where no text is exact |
    /// | bytes | `{"$bytes": "aGk="}`, in base 64 |
    /// | location | `{"$location": "1.5;2.5"}` |
    /// | integral or non-finite double | `{"$double": 2}`, `{"$double": "inf"}` |
    /// | NaN with other bits than `Double.nan` | `{"$double": "0x7ff8000000000001"}` |
    /// | server timestamp | `{"$serverTimestamp": true}` |
    /// | map with a name that begins with `$` | `{"$map": {…}}` |
    ///
    /// An encoder of this library stores the value itself.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        if try encoder.takes(self) { return }
        if let scalar = TypedScalar(self) { return try scalar.encode(to: encoder) }
        try OpenContainer.write(self, to: encoder, needsMark: true)
    }

    /// Reads the typed form, by the rules of ``RecordLineReader``.
    ///
    /// - Parameter decoder: Any decoder. A plain number reads as an integer if it is one; −0 is not.
    /// - Throws: `DecodingError` for objects with an unknown mark and for marked objects with a wrong content.
    public init(from decoder: any Decoder) throws {
        self = try decoder.given(Self.self) ?? decoder.decodeTypedForm(TypedForm.value)
    }
}

extension Record.Fields {
    /// Writes an object with the fields.
    func write(to encoder: any Encoder) throws { try OpenContainer.write(.map(self), to: encoder, needsMark: false) }
}

/// A container of a list or a map that is partly written.
private enum OpenContainer {
    case list(any UnkeyedEncodingContainer, ArraySlice<Record.Value>)
    case map(KeyedEncodingContainer<PathKey>, Record.Fields, next: Int)

    /// Writes a list or a map.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: Any encoder.
    ///   - needsMark: Whether a map with names that look like marks is marked itself.
    static func write(_ value: Record.Value, to encoder: any Encoder, needsMark: Bool) throws {
        // Without recursion: values may be nested more deeply than a stack holds.
        guard let first = Self(value, needsMark: needsMark, encoder.unkeyedContainer, encoder.container) else { return }
        var open = [first]
        while let last = open.indices.last {
            if let inner = try open[last].writeNext() {
                open.append(inner)
            } else if open[last].isComplete {
                open.removeLast()
            }
        }
    }

    /// Nil for values other than lists and maps.
    private init?(
        _ value: Record.Value, needsMark: Bool = true, _ makeList: () -> any UnkeyedEncodingContainer,
        _ makeMap: (PathKey.Type) -> KeyedEncodingContainer<PathKey>
    ) {
        switch value {
        case .list(let values): self = .list(makeList(), values[...])
        case .map(let fields):
            var container = makeMap(PathKey.self)
            if needsMark, fields.needMark {
                let key = PathKey(stringValue: TypedMark.map.rawValue)
                container = container.nestedContainer(keyedBy: PathKey.self, forKey: key)
            }
            self = .map(container, fields, next: 0)
        default: return nil
        }
    }

    private var isComplete: Bool {
        switch self {
        case .list(_, let values): values.isEmpty
        case .map(_, let fields, let next): next >= fields.count
        }
    }

    /// Writes the next element, if there is one.
    ///
    /// - Returns: The container of the element, if it is a list or a map.
    private mutating func writeNext() throws -> Self? {
        switch self {
        case .list(var container, var values):
            guard let value = values.popFirst() else { return nil }
            defer { self = .list(container, values) }
            if let scalar = TypedScalar(value) {
                try container.encode(scalar)
                return nil
            }
            return Self(
                value, { container.nestedUnkeyedContainer() }, { container.nestedContainer(keyedBy: $0) })
        case .map(var container, let fields, let next):
            guard next < fields.count else { return nil }
            defer { self = .map(container, fields, next: next + 1) }
            let key = PathKey(stringValue: fields.names[next])
            if let scalar = TypedScalar(fields.values[next]) {
                try container.encode(scalar, forKey: key)
                return nil
            }
            return Self(
                fields.values[next], { container.nestedUnkeyedContainer(forKey: key) },
                { container.nestedContainer(keyedBy: $0, forKey: key) })
        }
    }
}
