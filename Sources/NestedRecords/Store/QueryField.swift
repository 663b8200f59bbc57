#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A property of the values that a query finds, or a field of their records.
///
/// The closures of `Query.filter`, ``Query/sorted(descending:collation:by:)`` and
/// ``RecordStore/change(_:named:isolation:_:)`` get the field of the whole value. Its members are
/// those of the value; they lead through embedded values, optionals, dictionaries, and references and links to other
/// records:
///
/// ```swift
/// let books = store.query(Book.self).filter { $0.author.name == "Ada" }.sorted { $0.title }
/// ```
///
/// A member must be a stored property that has a key of the same name. Other properties (with other coding keys, or coded
/// by hand) are named with ``field(_:as:)``, or by a field that the model declares:
///
/// ```swift
/// extension Note {
///     static let changed = QueryField<Note, Date?>("changed")
/// }
/// let recent = store.query(Note.self).filter { _ in Note.changed > yesterday }
/// ```
@dynamicMemberLookup
public struct QueryField<Model: RecordDecodable, Value>: Sendable {
    // A public property would hide a property of the model with the same name.
    let steps: [PropertyStep]

    init(_ steps: [PropertyStep]) { self.steps = steps }

    /// Declares a field.
    ///
    /// A field that the type certainly does not have, or that has other kinds of values, is an error when it is used.
    ///
    /// - Parameter path: The field as it is stored: no strategy changes its name.
    public init(_ path: FieldPath) { steps = [.field(path, as: Value.self)] }

    /// A property.
    public subscript<Member>(dynamicMember keyPath: any KeyPath<Value, Member> & Sendable) -> QueryField<Model, Member>
    {
        QueryField<Model, Member>(steps + [.property(keyPath)])
    }
}

// MARK: Members of optionals, links and dictionaries

extension QueryField {
    /// A property of an optional value; nil without the value.
    public subscript<Wrapped, Member>(
        dynamicMember keyPath: any KeyPath<Wrapped, Member> & Sendable
    ) -> QueryField<Model, Member?> where Value == Wrapped? {
        QueryField<Model, Member?>(steps + [.property(keyPath)])
    }

    /// A property of an optional value; nil without the value.
    public subscript<Wrapped, Member>(
        dynamicMember keyPath: any KeyPath<Wrapped, Member?> & Sendable
    ) -> QueryField<Model, Member?> where Value == Wrapped? {
        QueryField<Model, Member?>(steps + [.property(keyPath)])
    }

    /// A property of a link's target.
    public subscript<Target, Member>(
        dynamicMember keyPath: any KeyPath<Target, Member> & Sendable
    ) -> QueryField<Model, Member> where Value == RecordLink<Target> {
        QueryField<Model, Member>(steps + [.property(keyPath)])
    }

    /// A property of the target of an optional link; nil without the link.
    public subscript<Target, Member>(
        dynamicMember keyPath: any KeyPath<Target, Member> & Sendable
    ) -> QueryField<Model, Member?> where Value == RecordLink<Target>? {
        QueryField<Model, Member?>(steps + [.property(keyPath)])
    }

    /// A property of the target of an optional link; nil without the link.
    public subscript<Target, Member>(
        dynamicMember keyPath: any KeyPath<Target, Member?> & Sendable
    ) -> QueryField<Model, Member?> where Value == RecordLink<Target>? {
        QueryField<Model, Member?>(steps + [.property(keyPath)])
    }

    /// The value for a key; nil if the dictionary does not have the key.
    public subscript<Member>(key: String) -> QueryField<Model, Member?> where Value == [String: Member] {
        QueryField<Model, Member?>(steps + [.key(key)])
    }
}

// MARK: Fields that are not properties

extension QueryField where Value: RecordRepresentable {
    /// A field of the record, which no strategy renames.
    ///
    /// If the type writes its records itself and does not have the field, or has other kinds of values in it, that is an
    /// error when the query or the change runs. A ``RecordFilter`` names any field.
    ///
    /// - Parameters:
    ///   - path: The field as it is stored.
    ///   - type: The Swift type of its values.
    public func field<Member>(_ path: FieldPath, as type: Member.Type) -> QueryField<Model, Member> {
        QueryField<Model, Member>(steps + [.field(path, as: Member.self)])
    }

    /// The name of the record.
    public var recordName: QueryField<Model, String> { field(.recordName, as: String.self) }

    /// The time of the record's first save.
    ///
    /// An error when the query runs if the value has a stored property of this name.
    public var creationDate: QueryField<Model, Date> { attribute(.creationDate, "creationDate") }

    /// The time of the record's last save.
    ///
    /// An error when the query runs if the value has a stored property of this name.
    public var modificationDate: QueryField<Model, Date> { attribute(.modificationDate, "modificationDate") }

    private func attribute(_ path: FieldPath, _ name: String) -> QueryField<Model, Date> {
        QueryField<Model, Date>(steps + [.attribute(path, name)])
    }
}

extension RecordCoding {
    /// The field value of a property's value; a reference for a record.
    func fieldValue(of value: some Encodable) throws -> Record.Value {
        if let record = value as? any RecordEncodable {
            return .reference(Record.Reference(to: try Record.ID(of: record)))
        }
        return try encode(fieldValue: value)
    }

    /// The field value as an encoder stores it.
    ///
    /// - Throws: `AdjustmentError` if the property cannot have such a value.
    func storedValue(of value: some Encodable, in property: PropertyPath) throws -> Record.Value {
        let value = try fieldValue(of: value).adjusted(
            isLocation: property.isLocation, isCascading: property.isCascading, normalize: property.normalize)
        return try property.innerLocations.isEmpty
            ? value : value.adjusted(locationsAt: property.innerLocations, separator: nil)
    }

    /// The field value to compare stored values with.
    ///
    /// No stored value is equal to one that the property cannot have.
    func queryValue(of value: some Encodable, in property: PropertyPath) throws -> Record.Value {
        if property.wrapper == .recordName, property.field.path == .recordName {
            return (value as? any RecordNameConvertible)?.recordName.map(Record.Value.string) ?? .null
        }
        do {
            return try storedValue(of: value, in: property)
        } catch is AdjustmentError {
            return try fieldValue(of: value)
        }
    }
}
