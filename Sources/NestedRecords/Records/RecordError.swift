/// Errors in records, in values that are encoded as records, in changes of them, and in queries.
///
/// ``code`` identifies the error. Each code lists the properties that it sets; the message has all details.
/// A value of the wrong kind in a field is a `DecodingError`, as with every coder; its description names the record as
/// well. Errors cannot be compared, since underlying errors cannot: compare codes and details.
public struct RecordError: ClassifiedError {
    private struct Details: Sendable {
        var code: Code
        /// The message without the reason and the place; nil for that of the code.
        var summary: String?
        var reason: String?
        var recordID: Record.ID?
        var recordType: String?
        var recordName: String?
        var key: String?
        var field: String?
        var firstPath: [any CodingKey] = []
        var secondPath: [any CodingKey] = []
        var cycle: [RecordContext.Step] = []
        var limit: Int?
        var isStored = false
        var context: RecordContext?
        var underlyingError: (any Error)?
    }

    /// In a box, since every level of a deep value has room for an error on the stack.
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

    init(
        _ code: Code, summary: String, reason: String? = nil, recordID: Record.ID, field: String? = nil,
        context: RecordContext? = nil
    ) {
        self.init(
            Details(
                code: code, summary: summary, reason: reason, recordID: recordID, field: field, context: context))
    }
}

extension RecordError {
    /// What is wrong.
    public var code: Code { details.value.code }

    /// What the error means for the caller: invalid input in a stored record is damage.
    public var kind: ErrorKind { details.value.isStored && code.kind == .invalidInput ? .damaged : code.kind }

    /// The details, where the code alone is not enough.
    public var reason: String? { details.value.reason }

    /// The record of the error, such as a missing record or one of another type.
    public var recordID: Record.ID? { details.value.recordID }

    /// The type of an invalid ID, or the one that two Swift types have.
    public var recordType: String? { details.value.recordType }

    /// The name of an invalid ID.
    public var recordName: String? { details.value.recordName }

    /// The key without a valid field name, or the invalid part of a schema, such as `ignoring`.
    public var key: String? { details.value.key }

    /// The field that differs between two values with one identity, or that both sides of a conflict changed.
    public var field: String? { details.value.field }

    /// The path of the first of two different values with one identity.
    public var firstPath: [any CodingKey] { details.value.firstPath }

    /// The path of the second of two different values with one identity.
    public var secondPath: [any CodingKey] { details.value.secondPath }

    /// The records that contain each other; the first and the last are the same.
    public var cycle: [RecordContext.Step] { details.value.cycle }

    /// The exceeded number of levels or records.
    public var limit: Int? { details.value.limit }

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

    /// A type's schema names a key that is not a coding key of the type, or contradicts itself: `key`, `reason`.
    public static var invalidSchema: Self { Self("invalidSchema", kind: .invalidInput) }

    /// A string or coordinates that are not a location on the earth: `reason`.
    public static var invalidLocation: Self { Self("invalidLocation", kind: .invalidInput) }

    /// A hash or a size that no asset has: `reason`.
    public static var invalidAsset: Self { Self("invalidAsset", kind: .invalidInput) }

    /// Two values with one identity and different content: `recordID`, `field`, `firstPath`, `secondPath`.
    public static var conflict: Self { Self("conflict", kind: .invalidInput) }

    /// The record to decode is missing: `recordID`.
    public static var recordNotFound: Self { Self("recordNotFound", kind: .notFound) }

    /// A record refers to a missing one: `recordID` is the missing record.
    public static var danglingReference: Self { Self("danglingReference", kind: .damaged) }

    /// A link to save leads to a missing record: `recordID` is the missing record.
    public static var missingLinkTarget: Self { Self("missingLinkTarget", kind: .invalidInput) }

    /// A record does not have the type that the Swift type decodes: `recordID`.
    public static var typeMismatch: Self { Self("typeMismatch", kind: .damaged) }

    /// The error that caused a `DecodingError` is in a stored record: `recordID`, `context`, and the `underlyingError` of a
    /// type's own code.
    public static var unreadableRecord: Self { Self("unreadableRecord", kind: .damaged) }

    /// No Swift type is registered for the type of a record, and the property does not name one: `recordID`.
    public static var unregisteredType: Self { Self("unregisteredType", kind: .unsupported) }

    /// A newer version of the type wrote the record: `recordID`.
    public static var newerVersion: Self { Self("newerVersion", kind: .unsupported) }

    /// A decoded value has another name or type than its record: `recordID`.
    public static var identityMismatch: Self { Self("identityMismatch", kind: .damaged) }

    /// Records contain each other: `cycle`.
    public static var referenceCycle: Self { Self("referenceCycle", kind: .invalidInput) }

    /// Two Swift types have the same record type by default: `recordType`.
    public static var ambiguousRecordType: Self { Self("ambiguousRecordType", kind: .invalidInput) }

    /// A value is nested more deeply than the coder's `maximumDepth`: `limit`.
    public static var depthLimitExceeded: Self { Self("depthLimitExceeded", kind: .invalidInput) }

    /// A graph has more records than the decoder's `maximumRecords`: `limit`.
    public static var recordLimitExceeded: Self { Self("recordLimitExceeded", kind: .unsupported) }

    /// A database returned an invalid response: `reason`.
    public static var invalidResponse: Self { Self("invalidResponse", kind: .damaged) }

    // MARK: Changes

    /// A merged record or an updated value has another identity: `recordID`.
    public static var identityChanged: Self { Self("identityChanged", kind: .invalidInput) }

    /// Both sides changed a field to different values, and the conflict was not resolved: `recordID`, `field`.
    public static var contestedField: Self { Self("contestedField", kind: .conflict) }

    /// The value of a field cannot be changed in the requested way: `recordID`.
    public static var unchangeableField: Self { Self("unchangeableField", kind: .invalidInput) }

    /// A field was read incompletely, and it is not certain how its change applies to what is stored: `recordID`, `field`.
    public static var incompletelyRead: Self { Self("incompletelyRead", kind: .unsupported) }

    /// A value cannot be decoded from its own records, so it was not saved: `recordID`, `underlyingError`.
    public static var undecodableValue: Self { Self("undecodableValue", kind: .invalidInput) }

    /// A value does not belong to the repository in which it was to be saved: `recordID`.
    public static var outsideScope: Self { Self("outsideScope", kind: .invalidInput) }

    // MARK: Queries

    /// The cursor belongs to a query of another type, filter or order.
    public static var foreignCursor: Self { Self("foreignCursor", kind: .invalidInput) }

    /// A text is not a valid cursor.
    public static var invalidCursor: Self { Self("invalidCursor", kind: .invalidInput) }

    /// Values that a summary groups or compares are lists or maps, are too long to be grouped by, or are not dates.
    public static var invalidSummary: Self { Self("invalidSummary", kind: .invalidInput) }

    /// The collation of an order is not the identifier of a locale.
    public static var invalidCollation: Self { Self("invalidCollation", kind: .invalidInput) }

    /// The limit of a query is negative.
    public static var invalidLimit: Self { Self("invalidLimit", kind: .invalidInput) }

    /// A rule of a ``ScopedRecordDatabase`` has no condition, or follows references other than those to one container.
    public static var invalidRule: Self { Self("invalidRule", kind: .invalidInput) }

    /// The filter has more terms, or more references to follow, than a database accepts.
    public static var filterTooLarge: Self { Self("filterTooLarge", kind: .invalidInput) }

    /// A record with only some of its fields cannot be saved, or decoded as a value: `recordID`.
    public static var partialRecord: Self { Self("partialRecord", kind: .invalidInput) }

    /// There are more descendants or ancestors than the call accepts: `reason`.
    public static var treeTooLarge: Self { Self("treeTooLarge", kind: .invalidInput) }

    /// A filter that follows references cannot be tested on a single record, without a database.
    public static var needsDatabase: Self { Self("needsDatabase", kind: .unsupported) }

    /// The field of a Swift type's property cannot be determined.
    public static var unknownField: Self { Self("unknownField", kind: .invalidInput) }

    /// The record type of a Swift type's values is unknown.
    public static var unknownType: Self { Self("unknownType", kind: .invalidInput) }
}

extension RecordError {
    package static func invalidID(type: String, name: String, reason: String, context: RecordContext?) -> RecordError {
        RecordError(
            Details(
                code: .invalidID, summary: "'\("\(type)/\(name)".escaped)' is not the ID of a record", reason: reason,
                recordType: type, recordName: name, context: context))
    }

    package static func invalidKey(_ key: String, reason: String, context: RecordContext?) -> RecordError {
        RecordError(
            Details(
                code: .invalidKey, summary: "there is no field for the key '\(key.escaped)'", reason: reason, key: key,
                context: context))
    }

    package static func invalidSchema(_ part: String, type: String, reason: String) -> RecordError {
        let summary = "'\(part)' in the schema of the type \(type) is not valid"
        return RecordError(Details(code: .invalidSchema, summary: summary, reason: reason, key: part))
    }

    package static func invalidLocation(_ text: String, reason: String) -> RecordError {
        RecordError(Details(code: .invalidLocation, summary: "'\(text)' is not a location", reason: reason))
    }

    /// Two values with one identity: the first field that differs, and the path of each value.
    ///
    /// Records that are combined into a graph have no paths.
    package static func conflict(
        _ id: Record.ID, field: String, first: [any CodingKey], second: [any CodingKey]
    ) -> RecordError {
        func position(_ path: [any CodingKey]) -> String { path.isEmpty ? "the root" : "at '\(path.shortPathText)'" }
        var summary = "two values with the ID \(id) differ in field '\(field)'"
        if !first.isEmpty || !second.isEmpty {
            summary += ": one is \(position(first)), the other \(position(second))"
        }
        return RecordError(
            Details(
                code: .conflict, summary: summary, recordID: id, field: field, firstPath: first, secondPath: second))
    }

    package static func typeMismatch(
        expected: String, found: Record.ID, reason: String? = nil, context: RecordContext
    ) -> RecordError {
        RecordError(
            .typeMismatch, summary: "the record \(found) is not of the type \(expected)", reason: reason,
            recordID: found, context: context)
    }

    package static func unregisteredType(of id: Record.ID, expected: String, context: RecordContext) -> RecordError {
        RecordError(
            .unregisteredType, summary: "no registered type decodes record \(id) as \(expected)", recordID: id,
            context: context)
    }

    package static func newerVersion(
        of id: Record.ID, found: Int64, known: Int64, type: String, context: RecordContext
    ) -> RecordError {
        let summary =
            "the record \(id) was written by version \(found) of its type, and \(type) has version \(known): a newer "
            + "program is needed"
        return RecordError(.newerVersion, summary: summary, recordID: id, context: context)
    }

    package static func identityMismatch(
        decoded: String, record: Record.ID, isOtherSpelling: Bool = false, context: RecordContext
    ) -> RecordError {
        let advice =
            isOtherSpelling
            ? "the record must have the name that the identifier writes: save it under that name"
            : "the property that identifies the value must have a coding key or @RecordName, and must be read unchanged"
        let summary = "decoded identity \(decoded) does not match record \(record): \(advice)"
        return RecordError(.identityMismatch, summary: summary, recordID: record, context: context)
    }

    package static func referenceCycle(_ cycle: [RecordContext.Step], context: RecordContext) -> RecordError {
        let advice = cycle.dropLast().last.map { ": make '\($0.path)' of \($0.record.type) a RecordLink" } ?? ""
        return RecordError(
            Details(
                code: .referenceCycle, summary: "records contain each other: \(cycle.chainText)\(advice)",
                recordID: cycle.first?.record, cycle: cycle, context: context))
    }

    static func referenceCycle(to id: Record.ID, at place: RecordContext) -> RecordError {
        let start = place.chain.lastIndex { $0.record == id } ?? place.chain.startIndex
        return referenceCycle(
            Array(place.chain[start...]) + [RecordContext.Step(record: id, path: "")], context: place)
    }

    package static func ambiguousRecordType(_ type: String, first: Any.Type, second: Any.Type) -> RecordError {
        let names = [first, second].map { String(reflecting: $0) }.sorted().joined(separator: " and ")
        let reason =
            "state one with 'static let recordType' in one of them, or the same in both if they are views of the same "
            + "records"
        return RecordError(
            Details(
                code: .ambiguousRecordType, summary: "\(names) both become records of the type \(type)",
                reason: reason, recordType: type))
    }

    package static func depthLimitExceeded(_ limit: Int, context: RecordContext) -> RecordError {
        let summary = "the value is nested more than \(limit) levels deep"
        return RecordError(Details(code: .depthLimitExceeded, summary: summary, limit: limit, context: context))
    }

    package static func recordLimitExceeded(_ limit: Int, context: RecordContext) -> RecordError {
        let summary =
            "the graph has more than \(limit) records: raise maximumRecords of the decoder, or end it with a RecordLink"
        return RecordError(Details(code: .recordLimitExceeded, summary: summary, limit: limit, context: context))
    }

    package static func identityChanged(from old: Record.ID, to new: Record.ID) -> RecordError {
        let summary = "the record \(old) was to be changed, and has become \(new)"
        return RecordError(.identityChanged, summary: summary, recordID: old)
    }
}

extension RecordError {
    func with(context: RecordContext) -> RecordError {
        var details = details.value
        details.context = context
        return RecordError(details)
    }

    func with(reason: String) -> RecordError {
        var details = details.value
        details.reason = reason
        return RecordError(details)
    }

    /// The same error, found while a stored record was read.
    var ofStoredRecord: RecordError {
        if code.kind != .invalidInput { return self }
        var details = details.value
        details.isStored = true
        return RecordError(details)
    }

    var hasContext: Bool {
        if details.value.context != nil { return true }
        return [.recordNotFound, .conflict, .invalidSchema, .ambiguousRecordType].contains(code)
    }
}

extension RecordError {
    /// The error, its record and field, and its place, in one line.
    public var description: String {
        let summary = details.value.summary ?? codeSummary
        let text = summary + reason.detail + underlyingError.detail
        return switch code {
        case .danglingReference: "\(summary), which is referred to \(context)\(reason.detail)"
        // The error that it is part of has the place.
        case .unreadableRecord: text
        default: text + context.suffix
        }
    }

    private var codeSummary: String {
        switch code {
        case .recordNotFound, .danglingReference: "there is no record \(recordID.orUnknown)"
        case .missingLinkTarget: "the target \(recordID.orUnknown) of a link does not exist"
        case .undecodableValue:
            (recordID.map { "the value of record \($0)" } ?? "a value")
                + " cannot be decoded from what its type encodes, so nothing was saved"
        case .unreadableRecord: "the record \(recordID.orUnknown) cannot be read as it is stored"
        case .invalidResponse: "the database returned an invalid response"
        case .unchangeableField: "a field of record \(recordID.orUnknown) cannot be changed"
        case .outsideScope: (recordID.map { "the record \($0)" } ?? "the query") + " is outside the scope"
        case .foreignCursor: "the cursor belongs to a query of another type, filter or order"
        case .invalidCursor: "the text is not a valid query cursor"
        case .invalidCollation: "the collation of an order cannot be used"
        case .invalidLimit: "the limit of a query is less than zero"
        case .invalidSummary: "values cannot be summarized"
        case .filterTooLarge: "the filter is too large"
        case .invalidRule: "the rule of the scope cannot be used"
        case .needsDatabase: "the filter follows references, which needs a database"
        case .partialRecord: "the record \(recordID.orUnknown) is not whole"
        case .treeTooLarge: "the tree has too many records"
        case .unknownField: "cannot determine the field of a property"
        case .unknownType: "the record type of the values is unknown"
        default: code.rawValue + (recordID.map { " (record \($0))" } ?? "")
        }
    }
}

extension [Record.ID] {
    var shortList: String {
        prefix(3).map(\.description).joined(separator: ", ") + (count > 3 ? " and \(count - 3) more" : "")
    }
}

extension String {
    fileprivate var escaped: String { String(debugDescription.dropFirst().dropLast()) }
}
