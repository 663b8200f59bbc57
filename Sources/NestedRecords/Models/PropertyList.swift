/// What a type's `ignoredProperties`, `locationProperties`, `cascadingProperties` or `fieldDefaults` says.
///
/// The protocol takes a list of any type, so that no declaration is passed over because its type is not the expected
/// one. A list that cannot be understood is an error when the type is encoded or decoded.
struct PropertyList {
    let names: Set<String>

    /// The values of the properties that have one.
    let values: [String: any Encodable]

    /// What is wrong with the list.
    let fault: String?

    init<List: Sendable>(_ list: List) {
        let properties = list is NoProperties ? [] : (list as? any NamingProperties)?.namedProperties
        names = Set((properties ?? []).map(\.name))
        var values: [String: any Encodable] = [:]
        var fault = properties == nil ? "\(List.self) is not a list of names" : nil
        for case (let name, let value?) in properties ?? [] {
            if let value = value as? any Encodable {
                values[name] = value
            } else {
                fault = "the value of '\(name)' is not Encodable"
            }
        }
        (self.values, self.fault) = (values, fault)
    }
}

/// A list from which the names of properties can be taken.
private protocol NamingProperties {
    /// The names and values; nil if the elements are not names.
    var namedProperties: [(name: String, value: Any?)]? { get }
}

extension IgnoredProperties: NamingProperties {
    fileprivate var namedProperties: [(name: String, value: Any?)]? {
        values.map { name, value in (name, value.map { $0 as Any }) }
    }
}

extension FieldDefaults: NamingProperties {
    fileprivate var namedProperties: [(name: String, value: Any?)]? { values.map { ($0.key, $0.value) } }
}

extension Array: NamingProperties {
    fileprivate var namedProperties: [(name: String, value: Any?)]? { properties(in: map { ($0, nil) }) }
}

extension Set: NamingProperties {
    fileprivate var namedProperties: [(name: String, value: Any?)]? { properties(in: map { ($0, nil) }) }
}

extension Dictionary: NamingProperties {
    fileprivate var namedProperties: [(name: String, value: Any?)]? { properties(in: map { ($0.key, $0.value) }) }
}

/// The properties of which each is a string or a coding key, nil if one is something else.
private func properties(in list: [(Any, Any?)]) -> [(name: String, value: Any?)]? {
    var properties: [(name: String, value: Any?)] = []
    for (element, value) in list {
        guard let name = element as? String ?? (element as? any CodingKey)?.stringValue else { return nil }
        properties.append((name, value))
    }
    return properties
}
