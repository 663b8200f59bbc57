import NestedRecords

/// The options for converting nested JSON to flat records.
///
/// An object with a string or an integer under the ID key becomes a record; its type depends on the key of the object.
/// All other values stay in the fields of the enclosing record.
struct Flattening: Sendable {
    /// The type of the roots.
    var rootType: String

    /// The key of the identifiers.
    var idKey = "id"

    /// The types of objects by key, alone or in lists; for other keys the type is the key.
    var types: [String: String] = [:]

    /// The keys whose strings, alone or in lists, are locations.
    var locationKeys: Set<String> = []

    /// Whether location strings that read back in another spelling are locations too.
    var canonicalizesLocations = false

    /// The keys that are left out.
    var ignoredKeys: Set<String> = []

    /// Makes a flattening with default options.
    ///
    /// - Parameter rootType: The type of the roots.
    init(rootType: String) {
        self.rootType = rootType
    }

    /// Converts a document to records.
    ///
    /// - Parameter document: An object with an identifier, or a list of such objects.
    /// - Returns: The records, each once; the outermost objects are the roots.
    /// - Throws: ``JSONError`` for an invalid record, field or location, and for different objects with one ID.
    func records(of document: JSONDocument) throws -> RecordGraph {
        do {
            return try RecordEncoder().encode(try roots(of: document))
        } catch let fault as JSONFault {
            throw document.error(fault)
        } catch EncodingError.invalidValue(_, let context) {
            // The encoder wraps the errors of encoded values.
            if let fault = context.underlyingError as? JSONFault { throw document.error(fault) }
            throw JSONError(reason: context.debugDescription, place: document.place(at: document.root.offset))
        } catch let error as RecordError {
            let search = FaultSearch(flattening: self, roots: try roots(of: document))
            guard error.code == .conflict, let id = error.recordID, let field = error.field else {
                throw search.error(error, in: document)
            }
            throw search.error(id, field, error.firstPath, error.secondPath, in: document)
        }
    }

    private func roots(of document: JSONDocument) throws -> [FlatRecord] {
        let values: [JSONValue]
        if case .array(let elements) = document.root.content {
            values = elements
        } else {
            values = [document.root]
        }
        let rules = FlatteningRules(self)
        return try values.map { value in
            if case .object(let object) = value.content,
                let root = try rules.record(object, type: rootType, at: value.offset)
            {
                return root
            }
            let reason = "found \(value.kind) without a string or an integer under '\(idKey)'"
            let hint = "expected an object that has one, or a list of such objects: name its key with --id-key"
            throw JSONFault(reason: "\(reason), \(hint)", offset: value.offset)
        }
    }
}

extension JSONDocument {
    /// The error for a fault in this document.
    func error(_ fault: JSONFault) -> JSONError {
        JSONError(reason: fault.reason, place: place(at: fault.offset))
    }
}
