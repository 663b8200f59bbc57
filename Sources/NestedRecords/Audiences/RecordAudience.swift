/// Which field of a type's records says who may see them, so that a database can report their
/// own changes alone to each reader.
///
/// ```swift
/// try await database.declare(RecordAudience("Note", readers: "readers", everybody: "isPublic"))
/// try await database.declare(RecordAudience("Project", readers: "members"))
/// try await database.declare(RecordAudience("Visit", container: "project", ofType: "Project"))
/// ```
///
/// A record is for the readers whom its field names: a string, or the strings of a list. Or it is for the readers of a
/// container, a record of another type with an audience of readers to which the field refers. A type has one audience.
///
/// The declaration lies in the database, and every program that writes to it keeps it. The feeds of readers need it; see
/// <doc:Scopes>.
public struct RecordAudience: Sendable, Hashable {
    /// The record type.
    public let recordType: String

    /// The field with the readers, or with the reference to the container.
    public let field: FieldPath

    /// The record type of the containers; nil for readers.
    public let containerType: String?

    /// The field that is true in records for everybody; nil for none.
    public let everybody: FieldPath?

    /// Declares that a field names the readers of a record.
    ///
    /// - Parameters:
    ///   - recordType: The record type.
    ///   - field: The field: a string or a list of strings, or the name of the record.
    ///   - everybody: A Boolean field that is true in records for everybody; nil for none.
    public init(_ recordType: String, readers field: FieldPath, everybody: FieldPath? = nil) {
        (self.recordType, self.field, self.everybody, containerType) = (recordType, field, everybody, nil)
    }

    /// Declares that a record is for the readers of the record to which a field refers.
    ///
    /// - Parameters:
    ///   - recordType: The record type.
    ///   - field: The field with a reference or a link; a list of references counts as none.
    ///   - containerType: The record type of the containers, whose audience is one of readers.
    public init(_ recordType: String, container field: FieldPath, ofType containerType: String) {
        (self.recordType, self.field, self.containerType, everybody) = (recordType, field, containerType, nil)
    }
}

extension RecordAudience: CustomStringConvertible {
    /// The declaration as Swift code.
    public var description: String {
        if let containerType {
            return "RecordAudience(\"\(recordType)\", container: \"\(field)\", ofType: \"\(containerType)\")"
        }
        let publicText = everybody.map { ", everybody: \"\($0)\"" } ?? ""
        return "RecordAudience(\"\(recordType)\", readers: \"\(field)\"\(publicText))"
    }
}

// MARK: As a record

extension RecordAudience {
    /// The record type of all declarations.
    package static let recordType = Record.ID.reservedTypePrefix + "Audience"

    private static let (fieldField, containerField, everybodyField) = ("field", "container", "everybody")

    /// The ID of the declaration for a type.
    package static func recordID(ofType type: String) -> Record.ID { Record.ID(checkedType: recordType, name: type) }

    package var record: Record {
        func list(_ path: FieldPath) -> Record.Value { .list(path.names.map { .string($0) }) }
        var fields: [(String, Record.Value)] = [(Self.fieldField, list(field))]
        if let containerType { fields.append((Self.containerField, .string(containerType))) }
        if let everybody { fields.append((Self.everybodyField, list(everybody))) }
        return Record(
            id: Self.recordID(ofType: recordType),
            checkedFields: Record.Fields(names: fields.map(\.0), values: fields.map(\.1)))
    }

    /// Reads a declaration; nil for a record of another type or with other fields.
    package init?(_ record: Record) {
        func path(_ name: String) -> FieldPath? {
            guard case .list(let values)? = record[name] else { return nil }
            let names = values.compactMap { value in if case .string(let name) = value { name } else { nil } }
            guard names.count == values.count else { return nil }
            // No names: the name of the record.
            return names.isEmpty ? .recordName : FieldPath(names)
        }
        guard record.id.isAudience, let field = path(Self.fieldField) else { return nil }
        if case .string(let container)? = record[Self.containerField] {
            self.init(record.id.name, container: field, ofType: container)
        } else {
            self.init(record.id.name, readers: field, everybody: path(Self.everybodyField))
        }
    }

    /// The reason why the declaration is not valid; nil if it is.
    package var problem: String? {
        for type in [recordType, containerType ?? recordType] {
            if let reason = Record.ID.validationError(forModelType: type) { return reason }
        }
        if containerType == recordType { return "a record cannot be the container of records of its own type" }
        for path in [field, everybody ?? field] where path.names.isEmpty && path != .recordName {
            return "'\(path)' is an attribute"
        }
        if containerType != nil, field == .recordName { return "the name of a record refers to no container" }
        return everybody == .recordName ? "the name of a record is not a Boolean" : nil
    }
}

extension Record.ID {
    /// Whether the record declares an audience.
    package var isAudience: Bool { type == RecordAudience.recordType }
}

// MARK: The values of records

extension RecordAudience {
    /// The values of a record, each once.
    package func keys(of record: Record) -> [AudienceKey] {
        var keys: [AudienceKey] = []
        switch (field.value(in: record), containerType) {
        case (.string(let reader)?, nil): keys.append(AudienceKey(recordType, .reader, reader))
        case (.list(let elements)?, nil):
            var known: Set<AudienceKey> = []
            for case .string(let reader) in elements {
                let key = AudienceKey(recordType, .listedReader, reader)
                if known.insert(key).inserted { keys.append(key) }
            }
        case (.reference(let reference)?, let type?) where reference.id.type == type:
            keys.append(AudienceKey(recordType, .container, reference.id.description))
        default: break
        }
        if let everybody, everybody.value(in: record) == .bool(true) {
            keys.append(AudienceKey(recordType, .everybody))
        }
        return keys
    }
}
