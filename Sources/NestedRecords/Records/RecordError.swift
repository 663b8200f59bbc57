/// Errors in records, and in values that are encoded as records.
///
/// ``code`` identifies the error. Each code lists the properties that it sets.
///
/// ```swift
/// do {
///     school = try await store.fetch(School.self, named: "hilltop").value
/// } catch RecordError.Code.recordNotFound {
///     school = School(id: "hilltop")
/// }
/// ```
///
/// A value of the wrong kind in a field is a `DecodingError`, as with every coder; its description names the record as
/// well. Errors cannot be compared, since underlying errors cannot: compare codes and details.
public struct RecordError: ClassifiedError {
    private struct Details: Sendable {
        var code: Code
        var reason: String?
        var recordID: Record.ID?
        var recordType: String?
        var recordName: String?
        var decodedIdentity: String?
        var expectedType: String?
        var modelType: String?
        var schemaPart: String?
        var key: String?
        var field: String?
        var locationString: String?
        var firstPath: [any CodingKey] = []
        var secondPath: [any CodingKey] = []
        var cycle: [RecordContext.Step] = []
        var limit: Int?
        var recordVersion: Int64?
        var knownVersion: Int64?
        var context: RecordContext?
        var underlyingError: (any Error)?
    }

    private let details: Box<Details>

    private init(_ details: Details) {
        self.details = Box(details)
    }

    /// Makes an error, for example one with a custom code of a database.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - reason: The details, or nil if the code is enough.
    ///   - recordID: The record of the error, or nil.
    ///   - context: The place of the error, or nil. Coders add the place to an error without one, and wrap it in an
    ///     `EncodingError` or `DecodingError`.
    ///   - underlyingError: The error that caused this one, or nil.
    public init(
        _ code: Code, reason: String? = nil, recordID: Record.ID? = nil, context: RecordContext? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.init(
            Details(
                code: code, reason: reason, recordID: recordID, context: context, underlyingError: underlyingError))
    }
}

extension RecordError {
    /// What is wrong.
    public var code: Code { details.value.code }

    /// The details, where the code alone is not enough.
    public var reason: String? { details.value.reason }

    /// The record of the error, such as a missing record or one of another type.
    public var recordID: Record.ID? { details.value.recordID }

    /// The type of an invalid ID.
    public var recordType: String? { details.value.recordType }

    /// The name of an invalid ID.
    public var recordName: String? { details.value.recordName }

    /// The type and name of a decoded value, separated by a slash.
    public var decodedIdentity: String? { details.value.decodedIdentity }

    /// The type that the record should have.
    public var expectedType: String? { details.value.expectedType }

    /// The Swift type with the invalid schema.
    public var modelType: String? { details.value.modelType }

    /// The invalid part of the schema, such as `ignoring`.
    public var schemaPart: String? { details.value.schemaPart }

    /// The key without a valid field name.
    public var key: String? { details.value.key }

    /// The first field that differs between two values with one identity.
    public var field: String? { details.value.field }

    /// The string that is not a location.
    public var locationString: String? { details.value.locationString }

    /// The path of the first of two different values with one identity.
    public var firstPath: [any CodingKey] { details.value.firstPath }

    /// The path of the second of two different values with one identity.
    public var secondPath: [any CodingKey] { details.value.secondPath }

    /// The records that contain each other; the first and the last are the same.
    public var cycle: [RecordContext.Step] { details.value.cycle }

    /// The exceeded number of levels or records.
    public var limit: Int? { details.value.limit }

    /// The version of the type that wrote the record.
    public var recordVersion: Int64? { details.value.recordVersion }

    /// The version of the type in this program.
    public var knownVersion: Int64? { details.value.knownVersion }

    /// The place of the error; empty if it is unknown.
    public var context: RecordContext { details.value.context ?? RecordContext() }

    /// The error that caused this one.
    public var underlyingError: (any Error)? { details.value.underlyingError }
}

extension ErrorCode<RecordError> {
    /// No record can have this type or name: `recordType`, `recordName`, `reason`.
    public static var invalidID: Self { Self("invalidID", kind: .invalidInput) }

    /// A name that no field can have, two keys for one field, or two different values for one field: `key`, `reason`.
    public static var invalidKey: Self { Self("invalidKey", kind: .invalidInput) }

    /// A type's schema names a key that is no coding key of the type, or contradicts itself: `schemaPart`, `modelType`,
    /// `reason`.
    public static var invalidSchema: Self { Self("invalidSchema", kind: .invalidInput) }

    /// A string or coordinates that are not a location on the earth: `locationString`, `reason`.
    public static var invalidLocation: Self { Self("invalidLocation", kind: .invalidInput) }

    /// Two values with one identity and different content: `recordID`, `field`, `firstPath`, `secondPath`.
    public static var conflict: Self { Self("conflict", kind: .invalidInput) }

    /// The record to decode is missing: `recordID`.
    public static var recordNotFound: Self { Self("recordNotFound", kind: .notFound) }

    /// A record refers to a missing one: `recordID` is the missing record.
    public static var danglingReference: Self { Self("danglingReference", kind: .damaged) }

    /// A record does not have the type that the Swift type decodes: `recordID`, `expectedType`.
    public static var typeMismatch: Self { Self("typeMismatch", kind: .damaged) }

    /// No Swift type is registered for the type of a record, and the property does not name one: `recordID`,
    /// `expectedType`.
    public static var unregisteredType: Self { Self("unregisteredType", kind: .unsupported) }

    /// A newer version of the type wrote the record: `recordID`, `recordVersion`, `knownVersion`, `modelType`.
    public static var newerVersion: Self { Self("newerVersion", kind: .unsupported) }

    /// A decoded value has another name or type than its record: `recordID`, `decodedIdentity`.
    public static var identityMismatch: Self { Self("identityMismatch", kind: .damaged) }

    /// Records contain each other: `cycle`.
    public static var referenceCycle: Self { Self("referenceCycle", kind: .invalidInput) }

    /// Two Swift types have the same record type by default: `recordType`, and `modelType` with both names.
    public static var ambiguousRecordType: Self { Self("ambiguousRecordType", kind: .invalidInput) }

    /// A value is nested more deeply than the coder's `maximumDepth`: `limit`.
    public static var depthLimitExceeded: Self { Self("depthLimitExceeded", kind: .invalidInput) }

    /// A graph has more records than the decoder's `maximumRecords`: `limit`.
    public static var recordLimitExceeded: Self { Self("recordLimitExceeded", kind: .unsupported) }

    /// A database returned an invalid response: `reason`.
    public static var invalidResponse: Self { Self("invalidResponse", kind: .damaged) }
}

extension RecordError {
    /// No record can have this type or name.
    public static func invalidID(type: String, name: String, reason: String, context: RecordContext?) -> RecordError {
        RecordError(
            Details(code: .invalidID, reason: reason, recordType: type, recordName: name, context: context))
    }

    /// A name that no field can have, two keys for one field, or two different values for one field.
    public static func invalidKey(_ key: String, reason: String, context: RecordContext?) -> RecordError {
        RecordError(Details(code: .invalidKey, reason: reason, key: key, context: context))
    }

    /// A part of a type's schema names a key that is no coding key of the type, or contradicts another part.
    public static func invalidSchema(_ part: String, type: String, reason: String) -> RecordError {
        RecordError(Details(code: .invalidSchema, reason: reason, modelType: type, schemaPart: part))
    }

    /// A string or coordinates that are not a location on the earth.
    public static func invalidLocation(_ text: String, reason: String) -> RecordError {
        RecordError(Details(code: .invalidLocation, reason: reason, locationString: text))
    }

    /// Two values with one identity and different content: the first field that differs, and the path of each value.
    ///
    /// Records that are combined into a graph have no paths.
    public static func conflict(
        _ id: Record.ID, field: String, first: [any CodingKey], second: [any CodingKey]
    ) -> RecordError {
        RecordError(Details(code: .conflict, recordID: id, field: field, firstPath: first, secondPath: second))
    }

    /// The record to decode is missing.
    public static func recordNotFound(_ id: Record.ID) -> RecordError {
        RecordError(Details(code: .recordNotFound, recordID: id))
    }

    /// A record refers to a missing one.
    public static func danglingReference(to target: Record.ID, context: RecordContext) -> RecordError {
        RecordError(Details(code: .danglingReference, recordID: target, context: context))
    }

    /// A record does not have the type that the Swift type decodes.
    public static func typeMismatch(
        expected: String, found: Record.ID, reason: String? = nil, context: RecordContext
    ) -> RecordError {
        RecordError(
            Details(code: .typeMismatch, reason: reason, recordID: found, expectedType: expected, context: context))
    }

    /// No Swift type is registered for the type of a record, and the property does not name one.
    public static func unregisteredType(of id: Record.ID, expected: String, context: RecordContext) -> RecordError {
        RecordError(Details(code: .unregisteredType, recordID: id, expectedType: expected, context: context))
    }

    /// A newer version of the type wrote the record.
    public static func newerVersion(
        of id: Record.ID, found: Int64, known: Int64, type: String, context: RecordContext
    ) -> RecordError {
        RecordError(
            Details(
                code: .newerVersion, recordID: id, modelType: type, recordVersion: found, knownVersion: known,
                context: context))
    }

    /// A decoded value has another name or type than its record: its identifier was not stored, or is generated on
    /// decoding.
    public static func identityMismatch(decoded: String, record: Record.ID, context: RecordContext) -> RecordError {
        RecordError(Details(code: .identityMismatch, recordID: record, decodedIdentity: decoded, context: context))
    }

    /// Records contain each other: the cycle begins and ends at the same record.
    public static func referenceCycle(_ cycle: [RecordContext.Step], context: RecordContext) -> RecordError {
        RecordError(Details(code: .referenceCycle, recordID: cycle.first?.record, cycle: cycle, context: context))
    }

    /// A record that contains itself.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - place: The second occurrence of the record.
    static func referenceCycle(to id: Record.ID, at place: RecordContext) -> RecordError {
        let start = place.chain.lastIndex { $0.record == id } ?? place.chain.startIndex
        return referenceCycle(
            Array(place.chain[start...]) + [RecordContext.Step(record: id, path: "")], context: place)
    }

    /// Two Swift types have the same record type by default.
    public static func ambiguousRecordType(_ type: String, first: Any.Type, second: Any.Type) -> RecordError {
        let names = [first, second].map { String(reflecting: $0) }.sorted()
        let reason =
            "state one with 'static let recordType' in one of them, or the same in both if they are views of the same "
            + "records"
        return RecordError(
            Details(
                code: .ambiguousRecordType, reason: reason, recordType: type,
                modelType: names.joined(separator: " and ")))
    }

    /// A value is nested more deeply than the coder's `maximumDepth`.
    public static func depthLimitExceeded(_ limit: Int, context: RecordContext) -> RecordError {
        RecordError(Details(code: .depthLimitExceeded, limit: limit, context: context))
    }

    /// A graph has more records than the decoder's `maximumRecords`.
    public static func recordLimitExceeded(_ limit: Int, context: RecordContext) -> RecordError {
        RecordError(Details(code: .recordLimitExceeded, limit: limit, context: context))
    }

    /// A database returned an invalid response.
    public static func invalidResponse(_ reason: String, context: RecordContext) -> RecordError {
        RecordError(Details(code: .invalidResponse, reason: reason, context: context))
    }
}

extension RecordError {
    /// The same error at another place.
    func with(context: RecordContext) -> RecordError {
        var details = details.value
        details.context = context
        return RecordError(details)
    }

    /// Whether the error has a place.
    var hasContext: Bool {
        if details.value.context != nil { return true }
        return [.recordNotFound, .conflict, .invalidSchema, .ambiguousRecordType].contains(code)
    }
}

extension RecordError {
    /// The error, its record and field, and its place, in one line.
    public var description: String {
        let text = summary + reason.detail + underlyingError.detail
        return code == .danglingReference ? "\(text), which is referred to \(context)" : text + context.suffix
    }

    private var summary: String {
        switch code {
        case .invalidID:
            "'\("\(recordType.orUnknown)/\(recordName.orUnknown)".escaped)' is not the ID of a record"
        case .invalidKey: "there is no field for the key '\(key.orUnknown.escaped)'"
        case .invalidSchema:
            "'\(schemaPart.orUnknown)' in the schema of the type \(modelType.orUnknown) is not valid"
        case .invalidLocation: "'\(locationString.orUnknown)' is not a location"
        case .conflict:
            "two values with the ID \(recordID.orUnknown) differ in field '\(field.orUnknown)'"
                + (firstPath.isEmpty && secondPath.isEmpty
                    ? "" : ": one is \(Self.position(firstPath)), the other \(Self.position(secondPath))")
        case .recordNotFound, .danglingReference: "there is no record \(recordID.orUnknown)"
        case .typeMismatch: "the record \(recordID.orUnknown) is not of the type \(expectedType.orUnknown)"
        case .unregisteredType: "no registered type decodes record \(recordID.orUnknown) as \(expectedType.orUnknown)"
        case .newerVersion:
            "the record \(recordID.orUnknown) was written by version \(recordVersion.orUnknown) of its type, and "
                + "\(modelType.orUnknown) has version \(knownVersion.orUnknown): a newer program is needed"
        case .identityMismatch:
            "decoded identity \(decodedIdentity.orUnknown) does not match record \(recordID.orUnknown): "
                + "its identifier must be stored in a field"
        case .referenceCycle:
            "records contain each other: \(cycle.isEmpty ? unknown : cycle.chainText)"
                + (cycle.dropLast().last.map { ": make '\($0.path)' of \($0.record.type) a RecordLink" } ?? "")
        case .ambiguousRecordType:
            "\(modelType.orUnknown) both become records of the type \(recordType.orUnknown)"
        case .depthLimitExceeded: "the value is nested more than \(limit.orUnknown) levels deep"
        case .recordLimitExceeded:
            "the graph has more than \(limit.orUnknown) records: raise maximumRecords of the decoder, or end it with a "
                + "RecordLink"
        case .invalidResponse: "the database returned an invalid response"
        default: code.rawValue + (recordID.map { " (record \($0))" } ?? "")
        }
    }

    private static func position(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the root" : "at '\(path.shortPathText)'"
    }
}

extension [Record.ID] {
    /// The first IDs, and the number of the others.
    var shortList: String {
        prefix(3).map(\.description).joined(separator: ", ") + (count > 3 ? " and \(count - 3) more" : "")
    }
}

extension String {
    /// The text with line breaks and control characters escaped.
    fileprivate var escaped: String { String(debugDescription.dropFirst().dropLast()) }
}
