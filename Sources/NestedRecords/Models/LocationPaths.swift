/// The location properties of embedded values, by the property of the record that holds the values.
struct LocationPaths: Sendable {
    private let paths: [String: [[String]]]

    /// - Parameter names: The names of location properties; a full stop leads into an embedded value.
    init(_ names: Set<String>) {
        var paths: [String: [[String]]] = [:]
        for name in names.sorted() {
            let parts = Self.parts(of: name)
            if parts.count > 1 { paths[parts[0], default: []].append(Array(parts.dropFirst())) }
        }
        self.paths = paths
    }

    /// The paths within a property.
    subscript(property: String) -> [[String]] { paths.isEmpty ? [] : paths[property] ?? [] }

    static func parts(of name: String) -> [String] { name.unicodeScalars.split(separator: ".").map { String($0) } }

    /// The reason why a path leads nowhere in a type, as far as the types of its properties show.
    func fault(in model: Any.Type) -> String? {
        for (property, paths) in paths.sorted(by: { $0.key < $1.key }) {
            for path in paths {
                if let reason = Self.fault(of: [property] + path, in: model) {
                    return "'\(([property] + path).joined(separator: "."))': \(reason)"
                }
            }
        }
        return nil
    }

    private static func fault(of path: [String], in model: Any.Type) -> String? {
        var owner = model
        for (position, name) in path.enumerated() {
            guard let type = owner as? any Decodable.Type else { return nil }
            if position > 0, PropertyKeys(of: type, userInfo: [:])?.keyType?.init(stringValue: name) == nil {
                return "'\(name)' is not a coding key of \(owner)"
            }
            guard let property = StoredProperty.all(of: owner).first(where: { $0.name == name }) else { return nil }
            owner = content(of: property.type)
            if owner is any RecordRepresentable.Type, position < path.count - 1 {
                return "\(owner) has records of its own, so state it in its schema"
            }
        }
        return nil
    }

    private static func content(of type: Any.Type) -> Any.Type {
        (type as? any Embedding.Type).map { content(of: $0.contentType) } ?? type
    }
}

private protocol Embedding {
    static var contentType: Any.Type { get }
}

extension Optional: Embedding {
    fileprivate static var contentType: Any.Type { Wrapped.self }
}

extension Array: Embedding {
    fileprivate static var contentType: Any.Type { Element.self }
}

extension Set: Embedding {
    fileprivate static var contentType: Any.Type { Element.self }
}

extension ExplicitNull: Embedding {
    fileprivate static var contentType: Any.Type { Wrapped.self }
}
