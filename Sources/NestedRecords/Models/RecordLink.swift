/// A reference to a record that is not part of the value: it stores the record's ID.
///
/// ```swift
/// struct Person: RecordCodable, Identifiable {
///     var id: String
///     var school: RecordLink<School>
/// }
///
/// let school = try await store.fetch(person.school)
/// ```
///
/// Decoding never fetches the target, so links may form cycles: a school contains its students, and each student has a
/// link back to the school. Links are equal if their IDs are. Other coders store a link as the string form of its ID.
public struct RecordLink<Target: RecordRepresentable> {
    /// The ID of the target.
    public let id: Record.ID

    private let held: Held

    // A pointer, so that a type can hold links to itself.
    fileprivate indirect enum Held {
        case nothing
        case value(Target)
    }

    /// Makes a link to a record.
    ///
    /// - Parameter id: The record's ID. Coding refuses a link to a record of another type; where the target is a class or
    ///   states its record type itself, fetching the target does. If the type of the target's `id` reads the name in
    ///   another spelling, the link has the name that the identifier writes.
    public init(to id: Record.ID) {
        let info = RecordTypeInfo.info(of: Target.self)
        let name = id.type == info.type ? info.canonicalName(of: id.name) : id.name
        self.init(stored: Record.ID(checkedType: id.type, name: name))
    }

    /// Makes a link to a record as a reference has stored it.
    init(stored id: Record.ID) {
        self.id = id
        held = .nothing
    }

    /// Makes a link to a record of the target's type.
    ///
    /// - Parameter name: The record's name.
    /// - Throws: `RecordError.Code.invalidID` if the name is not valid.
    public init(named name: some RecordNameConvertible) throws {
        self.init(to: try Record.ID(of: Target.self, named: name))
    }

    /// Makes a link to the record of a value, and keeps only its ID.
    ///
    /// - Parameter value: The target.
    /// - Throws: `RecordError.Code.invalidID` if the value's record type or name is not valid.
    public init(to value: Target) throws {
        self.init(to: try Record.ID(of: value))
    }

    /// Makes a link that holds a value, whose records become part of every graph in which the link is encoded.
    ///
    /// Saving such a graph saves the value as well. The link does not own it: the target stays when the link is replaced or
    /// its record is deleted, whatever the options.
    ///
    /// Objects whose links hold each other are never freed: make one of the two links from an ID.
    ///
    /// - Parameter value: The target.
    /// - Throws: `RecordError.Code.invalidID` if the value's record type or name is not valid.
    public init(holding value: Target) throws where Target: Encodable {
        id = try Record.ID(of: value)
        held = .value(value)
    }

    /// The target, if the link holds it; nil for a link that was decoded or made from an ID.
    public var value: Target? {
        if case .value(let value) = held { value } else { nil }
    }
}

extension RecordLink {
    /// The record type of the target; nil if only the target itself shows it.
    static var targetRecordType: String? {
        let info = RecordTypeInfo.info(of: Target.self)
        return info.isClass || info.isDynamic ? nil : info.type
    }
}

extension RecordLink: Sendable where Target: Sendable {}
extension RecordLink.Held: Sendable where Target: Sendable {}

extension RecordLink: Hashable {
    /// Returns whether two links point to the same record.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    /// Feeds the ID to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension RecordLink: CustomStringConvertible {
    /// An arrow and the target, as in the description of a record.
    public var description: String { Record.Reference(to: id, isLink: true).description }
}

extension RecordLink: Codable {
    /// Writes the string form of the ID.
    public func encode(to encoder: any Encoder) throws {
        if try encoder.takes(self) { return }
        try id.encode(to: encoder)
    }

    /// Reads the string form of an ID; throws `DecodingError` for the ID of another type's record.
    public init(from decoder: any Decoder) throws {
        if let link = try decoder.given(Self.self) {
            self = link
            return
        }
        let container = try decoder.singleValueContainer()
        let id = try container.decode(Record.ID.self)
        if let type = Self.targetRecordType, id.type != type {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(id) is not a \(Target.self)")
        }
        self.init(to: id)
    }
}
