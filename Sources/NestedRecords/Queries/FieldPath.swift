/// What a filter or an order looks at in a record: a field, a value within a field, or what identifies the record.
///
/// ```swift
/// let colour: FieldPath = "cover.colour"
/// let latitude: FieldPath = "place.latitude"
/// ```
///
/// The parts lead from map to map; the parts `latitude` and `longitude` lead into a location. They do not lead into
/// lists, and not to other records: for these there are ``RecordFilter/contains(_:_:)`` and
/// ``RecordFilter/refers(_:to:where:)``.
public struct FieldPath: Sendable, Hashable {
    /// What else there is of a record.
    enum Attribute: String, Sendable, CaseIterable {
        case name = "@name"
        case creationDate = "@created"
        case modificationDate = "@modified"
        case changeTag = "@changeTag"
    }

    /// The names, from the field on; empty for what is not in the fields.
    public let names: [String]

    let attribute: Attribute?

    private init(_ attribute: Attribute) {
        names = []
        self.attribute = attribute
    }

    /// Makes a path.
    ///
    /// - Parameter names: The name of the field, then those of the map's fields in it, and so on.
    public init(_ names: [String]) {
        self.names = names
        attribute = nil
    }

    /// The name of the record.
    public static let recordName = FieldPath(.name)

    /// The time at which the record was saved first.
    public static let creationDate = FieldPath(.creationDate)

    /// The time at which the record was saved last.
    public static let modificationDate = FieldPath(.modificationDate)

    /// The tag of the record's version.
    public static let changeTag = FieldPath(.changeTag)

    /// The paths to what is not in the fields.
    static let attributes = Attribute.allCases.map { FieldPath($0) }
}

extension FieldPath: ExpressibleByStringLiteral {
    /// Makes a path of names with full stops between them.
    ///
    /// For names that have full stops themselves there is ``init(_:)``.
    public init(stringLiteral text: String) {
        let names = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        self.init(names.map { String($0) })
    }
}

extension FieldPath: CustomStringConvertible {
    /// The names with full stops between them, or the attribute behind an `@`.
    public var description: String { attribute?.rawValue ?? names.map(\.asLabel).joined(separator: ".") }
}

extension FieldPath {
    /// The value there; nil where there is none.
    package func value(in record: Record) -> Record.Value? {
        guard let first = names.first else { return value(named: record.id.name, record.metadata) }
        return record.fields[first].flatMap(value(behind:))
    }

    /// The value of what is not in the fields.
    func value(named name: String, _ metadata: @autoclosure () -> Record.Metadata?) -> Record.Value? {
        switch attribute {
        case .name: .string(name)
        case .creationDate: metadata().map { .date($0.creationDate) }
        case .modificationDate: metadata().map { .date($0.modificationDate) }
        case .changeTag: metadata().map { .string($0.changeTag) }
        case nil: nil
        }
    }

    /// The value there, of the value of the first name.
    func value(behind first: Record.Value) -> Record.Value? {
        var value = first
        for name in names.dropFirst() {
            switch value {
            case .map(let fields):
                guard let inner = fields[name] else { return nil }
                value = inner
            case .location(let location) where name == "latitude": value = .double(location.latitude)
            case .location(let location) where name == "longitude": value = .double(location.longitude)
            default: return nil
            }
        }
        return value
    }
}
