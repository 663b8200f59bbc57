extension Record.Value: Codable {
    /// Writes the typed form: plain values where JSON says it all, marked objects elsewhere.
    ///
    /// | value | form |
    /// | --- | --- |
    /// | reference | `{"$ref": "Person/1"}`, with `"link": true` and `"action": "deleteSelf"` where they apply |
    /// | date | `{"$date": "2001-02-03T04:05:06.789Z"}`, or seconds since 2001 where no text is exact |
    /// | bytes | `{"$bytes": "aGk="}`, in base 64 |
    /// | location | `{"$location": "1.5;2.5"}` |
    /// | integral or non-finite double | `{"$double": 2}`, `{"$double": "inf"}` |
    /// | server timestamp | `{"$serverTimestamp": true}` |
    /// | map with a name that begins with `$` | `{"$map": {…}}` |
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .list(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .map(let fields) where fields.needMark:
            var container = encoder.container(keyedBy: PathKey.self)
            try container.encode(fields, forKey: PathKey(stringValue: TypedMark.map.rawValue))
        case .map(let fields): try fields.encode(to: encoder)
        default: try TypedScalar(self)?.encode(to: encoder)
        }
    }

    /// Reads the typed form, by the rules of ``RecordLineReader``.
    ///
    /// - Parameter decoder: Any decoder. A plain number reads as an integer if it is one.
    /// - Throws: `DecodingError` for objects with an unknown mark and for marked objects with a wrong content.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeTypedForm(TypedForm.value)
    }
}
