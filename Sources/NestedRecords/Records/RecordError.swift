#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What can be wrong with records, and with values that become records.
///
/// Values of the wrong kind in a field are `DecodingError`s, as with every coder; their descriptions name the record
/// as well.
public enum RecordError: Error, Sendable {
    /// A type or name that no record can have.
    case invalidID(type: String, name: String, reason: String, place: RecordContext?)

    /// A name that no field can have, two keys that give one field, or two different values for one field.
    case invalidKey(String, reason: String, place: RecordContext?)

    /// A type's `ignoredProperties`, `locationProperties` or `cascadingProperties` names something that is no coding key
    /// of the type, or is no list of names.
    case invalidPropertyList(String, type: String, reason: String)

    /// A text or coordinates that are no place on the earth.
    case invalidLocation(String, reason: String)

    /// Two values with one identity and different content: the first field that differs, and where each value
    /// stands. Records that are made into a graph have no such paths.
    case conflict(Record.ID, field: String, first: [any CodingKey], second: [any CodingKey])

    /// The record to decode is not there.
    case recordNotFound(Record.ID)

    /// A record points to one that is not there.
    case danglingReference(to: Record.ID, place: RecordContext)

    /// A record of another type than the Swift type stands for.
    case typeMismatch(expected: String, found: Record.ID, place: RecordContext)

    /// A record of a type that no Swift type is registered for, where a property leaves its type open.
    case unregisteredType(of: Record.ID, expected: String, place: RecordContext)

    /// A decoded value says that its record has another name or type: its identifier was not stored, or is made anew.
    case identityMismatch(decoded: String, record: Record.ID, place: RecordContext)

    /// Records that contain each other: the ring begins and ends at the same record.
    case referenceCycle([RecordContext.Step], place: RecordContext)

    /// A value is nested more deeply than the coder's `maximumDepth`.
    case depthLimitExceeded(Int, place: RecordContext)

    /// A graph has more records than the decoder's `maximumRecords`.
    case recordLimitExceeded(Int, place: RecordContext)

    /// A database answered with something that it was not asked for.
    case invalidResponse(String, place: RecordContext)

    /// A database threw an error while these records were fetched.
    case fetchFailed([Record.ID], place: RecordContext, underlyingError: any Error)
}

extension RecordError {
    /// Whether the error tells where it happened; one that user code makes does not.
    var hasPlace: Bool {
        switch self {
        case .invalidLocation, .invalidID(_, _, _, nil), .invalidKey(_, _, nil): false
        default: true
        }
    }
}

extension RecordError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension RecordError: CustomStringConvertible {
    /// What happened, to which record and field, and where, in one line.
    public var description: String {
        switch self {
        case .invalidID(let type, let name, let reason, let place):
            "'\("\(type)/\(name)".escaped)' is not the ID of a record: \(reason)\(place?.suffix ?? "")"
        case .invalidKey(let key, let reason, let place):
            "there is no field for the key '\(key.escaped)': \(reason)\(place?.suffix ?? "")"
        case .invalidPropertyList(let list, let type, let reason):
            "the list '\(list)' of the type \(type) is not valid: \(reason)"
        case .invalidLocation(let text, let reason):
            "'\(text)' is not a location: \(reason)"
        case .conflict(let id, let field, let first, let second):
            "two values with the ID \(id) differ in field '\(field)'"
                + (first.isEmpty && second.isEmpty
                    ? "" : ": one is \(Self.place(first)), the other \(Self.place(second))")
        case .recordNotFound(let id):
            "there is no record \(id)"
        case .danglingReference(let target, let place):
            DanglingReference(target: target, place: place).description
        case .typeMismatch(let expected, let found, let place):
            "the record \(found) is not of the type \(expected)\(place.suffix)"
        case .unregisteredType(let found, let expected, let place):
            "no type that is registered at the decoder stands for the record \(found) where \(expected) is wanted"
                + place.suffix
        case .identityMismatch(let decoded, let record, let place):
            "the value decoded from record \(record) calls itself \(decoded): its identifier must be stored in a field"
                + place.suffix
        case .referenceCycle(let ring, let place):
            "records contain each other: \(ring.chainText)\(place.suffix)"
        case .depthLimitExceeded(let limit, let place):
            "the value is nested more than \(limit) levels deep\(place.suffix)"
        case .recordLimitExceeded(let limit, let place):
            "the graph has more than \(limit) records\(place.suffix)"
        case .invalidResponse(let reason, let place):
            "the database answered wrongly: \(reason)\(place.suffix)"
        case .fetchFailed(let ids, let place, let error):
            "the database could not fetch \(ids.shortList): \(error)\(place.suffix)"
        }
    }
}

extension RecordError {
    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the root" : "at '\(path.shortPathText)'"
    }
}

extension [Record.ID] {
    /// The first IDs, and how many more there are.
    var shortList: String {
        prefix(3).map(\.description).joined(separator: ", ") + (count > 3 ? " and \(count - 3) more" : "")
    }
}

extension String {
    /// The text with escapes for what would break a line.
    fileprivate var escaped: String { String(debugDescription.dropFirst().dropLast()) }
}
