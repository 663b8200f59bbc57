import NestedRecords

/// The options of a ``Flattening``, shared by all values of a document.
final class FlatteningRules: Sendable {
    private let options: Flattening
    private let ignoresKeys: Bool

    /// Copies the options.
    init(_ options: Flattening) {
        self.options = options
        ignoresKeys = !options.ignoredKeys.isEmpty
    }

    /// Whether a key is left out.
    @inline(__always)
    func ignores(_ key: String) -> Bool { ignoresKeys && options.ignoredKeys.contains(key) }

    /// Converts a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key of the value, or of the lists that contain it.
    /// - Throws: ``JSONFault``.
    @inline(__always)
    func flat(_ value: JSONValue, under key: String) throws -> FlatValue {
        switch value.content {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .number(let value): return .number(value)
        case .text(let text):
            guard options.locationKeys.contains(key) else { return .text(text) }
            let location = try location(text, at: value.offset)
            let isExact = location.description == text
            return isExact || options.canonicalizesLocations ? .location(location) : .text(text)
        case .array(let values):
            return .list(FlatList(values: values, key: key, rules: self))
        case .object(let object):
            let record = try record(object, type: options.types[key] ?? key, under: key, at: value.offset)
            return record.map(FlatValue.record) ?? .map(FlatMap(object: object, rules: self))
        }
    }

    /// The record for an object; nil if the object has no identifier.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - type: The record's type.
    ///   - key: The key of the object; nil for a root.
    ///   - offset: The offset of the object.
    /// - Throws: ``JSONFault`` for an invalid type, name or key.
    func record(_ object: JSONObject, type: String, under key: String? = nil, at offset: Int) throws -> FlatRecord? {
        guard let id = object[options.idKey], let name = Self.name(id) else { return nil }
        do {
            _ = try Record.ID(type: type, name: name)
        } catch {
            guard (try? Record.ID(type: type, name: "1")) == nil else {
                throw JSONFault(reason: "\(error), expected another identifier", offset: id.offset)
            }
            let hint = key.map { "--map '\($0)=Type'" } ?? "--type Type"
            throw JSONFault(reason: "\(error), expected a type: state one with \(hint)", offset: offset)
        }
        if let position = object.keys.firstIndex(of: ""), !ignores("") {
            let reason = "found an empty key in \(type)/\(name), expected a name for the field"
            throw JSONFault(reason: reason, offset: object.values[position].offset)
        }
        return FlatRecord(recordType: type, recordName: name, object: object, rules: self)
    }

    private static func name(_ id: JSONValue) -> String? {
        switch id.content {
        case .text(let text): text
        case .integer(let value): value.description
        case .null, .bool, .number, .array, .object: nil
        }
    }

    private func location(_ text: String, at offset: Int) throws -> Location {
        do {
            return try Location(text)
        } catch {
            throw JSONFault(reason: "\(error), expected a location such as \"57.05;-5.13\"", offset: offset)
        }
    }
}
