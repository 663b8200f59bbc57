/// A change of one property of a stored value, made in its record.
///
/// ```swift
/// try await books.change(7, .set(\.title, "Tides"), .increment(\.visits), .append("sea", to: \.tags))
/// ```
///
/// Key paths lead to fields of the value's own record, as in a ``Query``; for other properties the model declares a
/// ``QueryField``.
public struct PropertyChange<Model: RecordDecodable>: Sendable {
    private let change: @Sendable (inout Record, RecordCoding) throws -> Void

    private init(_ change: @escaping @Sendable (inout Record, RecordCoding) throws -> Void) { self.change = change }

    /// - Parameters:
    ///   - field: The field.
    ///   - change: Returns the new value; nil to remove the field.
    private init<Value>(
        _ field: QueryField<Model, Value>,
        _ change: @escaping @Sendable (Record.Value?, PropertyPath, RecordCoding) throws -> Record.Value?
    ) {
        self.init { record, coding in
            let property = try field.find(coding)
            guard property.references.isEmpty else {
                throw RecordQueryError(
                    .unknownField, reason: "'\(property.field.path)' is a field of other records; change these instead")
            }
            property.field.makePresent(in: &record)
            do {
                try record.change(property.field.path) { try change($0, property, coding) }
            } catch let fault as PropertyFault {
                throw RecordChangeError(
                    .unchangeableField, reason: "'\(property.field.path)' \(fault.reason)", recordID: record.id)
            } catch let error as AdjustmentError {
                throw RecordChangeError(
                    .unchangeableField, reason: "'\(property.field.path)': \(error.reason)", recordID: record.id)
            }
        }
    }

    func apply(to record: inout Record, _ coding: RecordCoding) throws { try change(&record, coding) }
}

/// The error of a field whose value cannot be changed.
private struct PropertyFault: Error {
    let reason: String
}

extension PropertyChange {
    /// Sets a property; nil removes its field.
    ///
    /// For a record, its reference is set: the record must have been saved.
    public static func set<Value: Encodable & Sendable>(
        _ property: any KeyPath<Model, Value> & Sendable, _ value: Value
    ) -> PropertyChange { set(QueryField(property), value) }

    /// Sets a field; nil removes it.
    ///
    /// For a record, its reference is set: the record must have been saved.
    public static func set<Value: Encodable & Sendable>(_ field: QueryField<Model, Value>, _ value: Value)
        -> PropertyChange
    {
        PropertyChange(field) { _, property, coding in
            let value = try coding.storedValue(of: value, in: property)
            // A missing field would be read as its default value, or from a field of a former name.
            return value == .null && property.field.hasOneForm ? nil : value
        }
    }

    /// Adds a number to an integer; a missing integer counts as zero.
    public static func increment<Value: FixedWidthInteger & Sendable>(
        _ property: any KeyPath<Model, Value> & Sendable, by amount: Value = 1
    ) -> PropertyChange { increment(QueryField(property), by: amount) }

    /// Adds a number to an integer; a missing integer counts as zero.
    public static func increment<Value: FixedWidthInteger & Sendable>(
        _ field: QueryField<Model, Value>, by amount: Value = 1
    ) -> PropertyChange {
        PropertyChange(field) { stored, _, _ in
            guard case .int(let number) = stored ?? .int(0) else {
                throw PropertyFault(reason: "is no integer: \(stored?.description ?? "missing")")
            }
            let sum = Int64(exactly: amount).map { number.addingReportingOverflow($0) }
            guard let sum, !sum.overflow else {
                let limit = Int64(exactly: Value.max) == nil ? "Int64" : "\(Value.self)"
                throw PropertyFault(reason: "is \(number), and \(amount) more is no \(limit)")
            }
            guard Value(exactly: sum.partialValue) != nil else {
                throw PropertyFault(reason: "is \(number), and \(amount) more is no \(Value.self)")
            }
            return .int(sum.partialValue)
        }
    }

    /// Adds a number to a floating-point number; a missing number counts as zero.
    public static func increment<Value: BinaryFloatingPoint & Sendable>(
        _ property: any KeyPath<Model, Value> & Sendable, by amount: Value = 1
    ) -> PropertyChange { increment(QueryField(property), by: amount) }

    /// Adds a number to a floating-point number; a missing number counts as zero.
    public static func increment<Value: BinaryFloatingPoint & Sendable>(
        _ field: QueryField<Model, Value>, by amount: Value = 1
    ) -> PropertyChange {
        PropertyChange(field) { stored, _, _ in
            switch stored ?? .double(0) {
            case .double(let number): return .double(Double(Value(number) + amount))
            case .int(let number):
                guard let exact = Value(exactly: number) else {
                    throw PropertyFault(reason: "is \(number), which is no \(Value.self)")
                }
                return .double(Double(exact + amount))
            case let other: throw PropertyFault(reason: "is no number: \(other)")
            }
        }
    }

    /// Appends an element to a list; a missing list counts as empty.
    ///
    /// For a record, its reference is appended: the record must have been saved.
    public static func append<Element: Encodable & Sendable>(
        _ element: Element, to property: any KeyPath<Model, [Element]> & Sendable
    ) -> PropertyChange { append(element, to: QueryField(property)) }

    /// Appends an element to a list; a missing list counts as empty.
    ///
    /// For a record, its reference is appended: the record must have been saved.
    public static func append<Element: Encodable & Sendable>(
        _ element: Element, to field: QueryField<Model, [Element]>
    ) -> PropertyChange {
        changeList(field) {
            try $0.storedValue(of: element, in: $1)
        } change: {
            $0.append($1)
        }
    }

    /// Removes all elements of a list whose stored form is equal to that of a given element.
    public static func remove<Element: Encodable & Sendable>(
        _ element: Element, from property: any KeyPath<Model, [Element]> & Sendable
    ) -> PropertyChange { remove(element, from: QueryField(property)) }

    /// Removes all elements of a list whose stored form is equal to that of a given element.
    public static func remove<Element: Encodable & Sendable>(
        _ element: Element, from field: QueryField<Model, [Element]>
    ) -> PropertyChange {
        changeList(field) {
            try $0.queryValue(of: element, in: $1)
        } change: { list, element in
            if case .reference(let reference) = element {
                list.removeAll { if case .reference(let other) = $0 { other.id == reference.id } else { false } }
            } else {
                list.removeAll { $0 == element }
            }
        }
    }

    private static func changeList<Element: Encodable & Sendable>(
        _ field: QueryField<Model, [Element]>,
        element makeElement: @escaping @Sendable (RecordCoding, PropertyPath) throws -> Record.Value,
        change: @escaping @Sendable (inout [Record.Value], Record.Value) -> Void
    ) -> PropertyChange {
        PropertyChange(field) { stored, property, coding in
            guard case .list(var list) = stored ?? .list([]) else {
                throw PropertyFault(reason: "is no list: \(stored?.description ?? "missing")")
            }
            change(&list, try makeElement(coding, property))
            return .list(list)
        }
    }
}

extension Record {
    /// Changes the value at a path.
    fileprivate mutating func change(_ path: FieldPath, _ change: (Record.Value?) throws -> Record.Value?) throws {
        guard let name = path.names.first else { throw PropertyFault(reason: "is no field") }
        self[name] = try self[name].changed(path.names.dropFirst(), change)
    }
}

extension Record.Value? {
    fileprivate func changed(
        _ names: ArraySlice<String>, _ change: (Record.Value?) throws -> Record.Value?
    ) throws -> Record.Value? {
        guard let name = names.first else { return try change(self) }
        guard case .map(var fields)? = self else {
            throw PropertyFault(reason: "leads into \(self.map { "\($0)" } ?? "a missing value"), which is no map")
        }
        fields[name] = try fields[name].changed(names.dropFirst(), change)
        return .map(fields)
    }
}
