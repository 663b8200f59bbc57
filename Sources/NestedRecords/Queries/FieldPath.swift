/// The operand of a filter or an order: a field, a value within a field, or an attribute of the record.
///
/// ```swift
/// let colour: FieldPath = "cover.colour"
/// let latitude: FieldPath = "place.latitude"
/// ```
///
/// The names lead from map to map; the names `latitude` and `longitude` lead into a location. They do not lead into
/// lists or to other records: use ``RecordFilter/contains(_:_:)``, ``RecordFilter/hasElement(_:where:)`` and
/// ``RecordFilter/refers(_:to:where:)``.
public struct FieldPath: Sendable, Hashable {
    enum Attribute: String, Sendable, CaseIterable {
        case name = "@name"
        case creationDate = "@created"
        case modificationDate = "@modified"
        case changeTag = "@changeTag"
    }

    /// The names, from the field on; empty for an attribute.
    public let names: [String]

    let attribute: Attribute?

    private init(_ attribute: Attribute) {
        names = []
        self.attribute = attribute
    }

    /// Makes a path.
    ///
    /// - Parameter names: The name of the field, then the names of the nested fields in its maps.
    public init(_ names: [String]) {
        self.names = names
        attribute = nil
    }

    /// The name of records.
    public static let recordName = FieldPath(.name)

    /// The time of the first save.
    public static let creationDate = FieldPath(.creationDate)

    /// The time of the last save.
    public static let modificationDate = FieldPath(.modificationDate)

    /// The version of the record.
    public static let changeTag = FieldPath(.changeTag)

    /// The paths of the attributes of a record.
    package static let attributes = Attribute.allCases.map { FieldPath($0) }
}

extension FieldPath: ExpressibleByStringLiteral {
    /// Makes a path of names separated by full stops.
    ///
    /// Use ``init(_:)`` for names that contain full stops.
    public init(stringLiteral text: String) {
        let names = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        self.init(names.map { String($0) })
    }
}

extension FieldPath: CustomStringConvertible {
    /// The names, separated by full stops, or the attribute after an `@`.
    public var description: String { attribute?.rawValue ?? names.map(\.asLabel).joined(separator: ".") }
}

extension FieldPath {
    /// The value at the path; nil if there is none.
    ///
    /// - Parameter record: The record.
    public func value(in record: Record) -> Record.Value? {
        guard let first = names.first else { return value(named: record.id.name, record.metadata) }
        return record.fields[first].flatMap(value(after:))
    }

    func value(named name: String, _ metadata: @autoclosure () -> Record.Metadata?) -> Record.Value? {
        switch attribute {
        case .name: .string(name)
        case .creationDate: metadata().map { .date($0.creationDate) }
        case .modificationDate: metadata().map { .date($0.modificationDate) }
        case .changeTag: metadata().map { .string($0.changeTag) }
        case nil: nil
        }
    }

    func value(after first: Record.Value) -> Record.Value? {
        var value = first
        for name in names.dropFirst() {
            if case .map(let fields) = value {
                guard let inner = fields[name] else { return nil }
                value = inner
                continue
            }
            if case .asset(let asset) = value {
                guard let part = asset.part(named: name) else { return nil }
                value = part
                continue
            }
            guard let place = value.asPlace else { return nil }
            switch name {
            case "latitude": value = .double(place.latitude)
            case "longitude": value = .double(place.longitude)
            default: return nil
            }
        }
        return value
    }
}
