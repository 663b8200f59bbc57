extension Record.Value {
    /// Makes a value from an object of `JSONSerialization`, by the rules of <doc:TypedJSON>.
    ///
    /// Lists, dictionaries with string keys, strings, numbers, Booleans and `NSNull` are read; the fields of a map are
    /// sorted by name. A value of another type is refused: pass a date as `["$date": "2001-01-01T00:00:00Z"]`.
    ///
    /// - Throws: `DecodingError` with the path, for a value that is not JSON or that a record cannot hold, and for more
    ///   than 512 nested lists and dictionaries.
    /// - Complexity: O(*n* log *n*) in the number of values and keys.
    public init(jsonObject: Any) throws {
        var text = JSONWriter()
        try text.write(jsonObject)
        self = try Self.reading(text, at: [])
    }

    /// This value as an object for `JSONSerialization`, by the rules of <doc:TypedJSON>.
    ///
    /// A map is a `[String: Any]`, a list an `[Any]`, and null an `NSNull` in a program that imports Foundation.
    ///
    /// - Throws: `EncodingError` with the path, for more than 512 nested lists and maps.
    /// - Complexity: O(*n*) in the number of values and names.
    public func jsonObject() throws -> Any {
        var text = JSONWriter()
        text.write(typed: self)
        var reader = JSONReader(maximumDepth: .max)
        let root = try reader.value(in: text.bytes)
        do throws(JSONFault) {
            return try root.foundationObject()
        } catch {
            let path = root.path(to: error.offset).prefix(JSONReader.maximumDepth)
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: Array(path), debugDescription: error.reason))
        }
    }
}

/// A list or a dictionary of which some elements are written.
private struct OpenObject {
    let keys: [String]?
    let elements: [Any]
    var count = 0

    init(_ elements: [Any]) { (keys, self.elements) = (nil, elements) }

    init(_ members: [String: Any]) {
        let members = members.sorted { $0.key < $1.key }
        (keys, elements) = (members.map(\.key), members.map(\.value))
    }

    /// The key of the last written element.
    var key: PathKey { keys.map { PathKey(stringValue: $0[count - 1]) } ?? PathKey(index: count - 1) }
}

// Without recursion: objects may be nested more deeply than a stack holds.
extension JSONWriter {
    fileprivate mutating func write(_ object: Any) throws {
        var open: [OpenObject] = []
        var next: Any? = object
        while true {
            if let value = next {
                let members = value as? [String: Any]
                let collection = members.map { OpenObject($0) } ?? (value as? [Any]).map { OpenObject($0) }
                var reason: String?
                if open.count == JSONReader.maximumDepth, collection != nil {
                    reason = JSONReader.reason(againstDepth: open.count)
                } else if let collection {
                    if collection.keys == nil { beginList() } else { beginObject() }
                    open.append(collection)
                } else {
                    reason = write(scalar: value)
                }
                if let reason {
                    throw DecodingError.dataCorrupted(
                        DecodingError.Context(codingPath: open.map(\.key), debugDescription: reason))
                }
            }
            guard let last = open.indices.last else { return }
            if open[last].count < open[last].elements.count {
                next = open[last].elements[open[last].count]
                open[last].count += 1
                if open[last].keys != nil { writeKey(open[last].key.stringValue) }
            } else {
                next = nil
                if open.removeLast().keys == nil { endList() } else { endObject() }
            }
        }
    }

    /// Writes a value that is not a collection; returns the reason against any other value.
    ///
    /// The numbers and Booleans of `JSONSerialization` are objects, which are cast without their module.
    private mutating func write(scalar value: Any) -> String? {
        let number = value as? Double ?? (value as? Float).map(Double.init)
        let integer =
            value as? Int64 ?? (value as? any BinaryInteger).flatMap { Int64(exactly: $0) }
            ?? number.flatMap { Int64(exactly: $0) }
        if let text = value as? String {
            write(text)
        } else if String(describing: type(of: value)) == "NSNull" {
            writeNull()
        } else if let bool = value as? Bool, type(of: value) == Bool.self || value as AnyObject === bool as AnyObject {
            // An object that is the number 1 is cast too, but only two objects are Booleans.
            write(bool)
        } else if let integer, integer != 0 || number?.sign != .minus {
            write(integer)
        } else if let number, number.isFinite {
            write(number)
        } else if let number {
            return "found the number \(number), expected {\"$double\": \"\(number)\"}"
        } else if value is any BinaryInteger || value is UInt64 {
            return "found the integer \(value), expected one that 64 bits hold"
        } else {
            return "found a value of the type \(type(of: value)), expected one that JSON has"
        }
        return nil
    }
}

extension JSONValue {
    fileprivate func foundationObject() throws(JSONFault) -> Any {
        var open: [(keys: [String]?, rest: ArraySlice<JSONValue>, objects: [Any])] = [(nil, [self], [])]
        while true {
            let last = open.count - 1
            guard let value = open[last].rest.popFirst() else {
                let ended = open.removeLast()
                guard let outer = open.indices.last else { return ended.objects[0] }
                // The keys of an object that was read are distinct strings.
                let members = ended.keys.map { Dictionary(uniqueKeysWithValues: zip($0, ended.objects)) }
                open[outer].objects.append(members ?? ended.objects)
                continue
            }
            switch value.content {
            case .null: open[last].objects.append(Any?.none as AnyObject)
            case .bool(let value): open[last].objects.append(value)
            case .integer(let value): open[last].objects.append(value)
            case .number(let value): open[last].objects.append(value)
            case .text(let value): open[last].objects.append(value)
            case .array(let elements): open.append((nil, elements[...], []))
            case .object(let members): open.append((members.keys, members.values[...], []))
            }
            guard open.count <= JSONReader.maximumDepth + 1 else {
                throw JSONFault(reason: JSONReader.reason(againstDepth: JSONReader.maximumDepth), offset: value.offset)
            }
        }
    }
}
