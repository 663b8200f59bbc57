import NestedRecords

/// Finds the values of a document that caused an encoder error.
///
/// The encoder reports the coding paths of the values, but not the root among several.
struct FaultSearch {
    let flattening: Flattening
    let roots: [FlatRecord]

    /// The error with the place of its value.
    ///
    /// - Parameters:
    ///   - error: The error of encoding the roots.
    ///   - document: The document that contains them.
    func error(_ error: RecordError, in document: JSONDocument) -> JSONError {
        let found = value(at: error.context.codingPath, in: values(of: document)[failingRoot])
        return JSONError(reason: "\(error)", place: document.place(at: (found ?? document.root).offset))
    }

    /// The error for two objects with one ID and different content, with both places.
    ///
    /// - Parameters:
    ///   - id: The ID of the objects.
    ///   - field: The first differing field.
    ///   - first: The coding path of the first object with the ID.
    ///   - second: The coding path of the second object.
    ///   - document: The document that contains them.
    func error(
        _ id: Record.ID, _ field: String, _ first: [any CodingKey], _ second: [any CodingKey],
        in document: JSONDocument
    ) -> JSONError {
        let values = values(of: document)
        let isKnown = values.lazy.compactMap { value(at: first, in: $0) }.first { name(of: $0) == id.name }
        let other = value(at: second, in: values[failingRoot]) ?? document.root
        let start = document.place(at: isKnown?.offset ?? document.root.offset)
        let reason = "found \(id) with another field '\(field)' than at \(start)"
        return JSONError(
            reason: "\(reason), expected equal objects where the ID is the same",
            place: document.place(at: other.offset))
    }

    private func values(of document: JSONDocument) -> [JSONValue] {
        if case .array(let elements) = document.root.content { elements } else { [document.root] }
    }

    /// The position of the first root that cannot be encoded together with the roots before it.
    private var failingRoot: Int {
        var fitting = 0
        var failing = roots.count
        while fitting + 1 < failing {
            let middle = (fitting + failing) / 2
            if (try? RecordEncoder().encode(Array(roots.prefix(middle)))) == nil {
                failing = middle
            } else {
                fitting = middle
            }
        }
        return fitting
    }

    private func name(of value: JSONValue) -> String? {
        guard case .object(let object) = value.content else { return nil }
        return (try? FlatteningRules(flattening).record(object, type: "Any", at: 0))?.recordName
    }

    private func value(at path: [any CodingKey], in root: JSONValue) -> JSONValue? {
        var value = root
        for key in path {
            switch value.content {
            case .array(let values):
                guard let index = key.intValue, values.indices.contains(index) else { return nil }
                value = values[index]
            case .object(let object):
                guard let member = object[key.stringValue] else { return nil }
                value = member
            case .null, .bool, .integer, .number, .text: return nil
            }
        }
        return value
    }
}
