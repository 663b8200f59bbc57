/// A change of one property of a stored value, made in its record.
///
/// ```swift
/// try await store.change(Book.self, named: 7) {
///     $0.title.set("Tides")
///     $0.visits.increment()
///     $0.tags.append("sea")
/// }
/// ```
///
/// The functions of a ``QueryField`` make it. The field must be one of the value's own record.
@resultBuilder
public struct PropertyChange<Model: RecordDecodable>: Sendable {
    private let changes: [@Sendable (inout Record, RecordCoding) throws -> Void]

    fileprivate init(_ changes: [PropertyChange]) { self.changes = changes.flatMap(\.changes) }

    fileprivate init<Value>(
        _ field: QueryField<Model, Value>,
        _ change: @escaping @Sendable (Record.Value?, PropertyPath, RecordCoding) throws -> Record.Value?
    ) {
        let steps = field.steps
        changes = [
            { record, coding in
                let property = try PropertyPath(steps, of: Model.self, coding)
                guard property.references.isEmpty else {
                    throw RecordError(
                        .unknownField,
                        reason: "'\(property.field.path)' is a field of other records; change these instead")
                }
                property.field.makePresent(in: &record)
                do {
                    try record.change(property.field.path) { stored in
                        let value = try change(stored, property, coding)
                        if let value, let type = property.otherType,
                            let fault = FieldDeclaration.fault(of: value, writtenAs: type, coding)
                        {
                            throw PropertyFault(reason: fault)
                        }
                        return value
                    }
                } catch let fault as PropertyFault {
                    throw RecordError(
                        .unchangeableField, reason: "'\(property.field.path)' \(fault.reason)", recordID: record.id)
                } catch let error as AdjustmentError {
                    throw RecordError(
                        .unchangeableField, reason: "'\(property.field.path)': \(error.reason)", recordID: record.id)
                }
            }
        ]
    }

    func apply(to record: inout Record, _ coding: RecordCoding) throws {
        for change in changes { try change(&record, coding) }
    }
}

private struct PropertyFault: Error {
    let reason: String
}

// MARK: The lines of a closure that changes properties

extension PropertyChange {
    /// The changes, in order.
    public static func buildBlock(_ changes: PropertyChange<Model>...) -> PropertyChange<Model> {
        PropertyChange(changes)
    }

    /// The changes of an `if` without `else`.
    public static func buildOptional(_ change: PropertyChange<Model>?) -> PropertyChange<Model> {
        change ?? PropertyChange([])
    }

    /// The changes after `if`.
    public static func buildEither(first change: PropertyChange<Model>) -> PropertyChange<Model> { change }

    /// The changes after `else`.
    public static func buildEither(second change: PropertyChange<Model>) -> PropertyChange<Model> { change }

    /// The changes of all turns of a loop.
    public static func buildArray(_ changes: [PropertyChange<Model>]) -> PropertyChange<Model> {
        PropertyChange(changes)
    }
}

// MARK: The changes of a field

extension QueryField where Value: Encodable & Sendable {
    /// Sets the field; nil removes it.
    ///
    /// Nil of a ``ServerTimestamp`` is the time of the save, and nil of an ``ExplicitNull`` is null.
    ///
    /// For a record, its reference is set: the record must have been saved.
    ///
    /// A value that its type cannot read as it encodes it is refused when the change is made. The decoding of the types
    /// that contain the property is not checked.
    public func set(_ value: Value) -> PropertyChange<Model> {
        PropertyChange(self) { _, property, coding in
            let value = try coding.readableValue(of: value, in: property)
            guard value == .null else { return value }
            switch property.wrapper {
            case .serverTimestamp: return .serverTimestamp
            case .explicitNull: return .null
            // A missing field would be read as its default value, or from a field of a former name.
            case .recordName, nil: return property.field.hasOneForm ? nil : .null
            }
        }
    }
}

extension QueryField where Value: FixedWidthInteger & Sendable {
    /// Adds a number to an integer; a missing integer counts as zero.
    public func increment(_ amount: Value = 1) -> PropertyChange<Model> {
        PropertyChange(self) { stored, _, _ in
            guard case .int(let number) = stored ?? .int(0) else {
                throw PropertyFault(reason: "is not an integer: \(stored?.description ?? "missing")")
            }
            let sum = Int64(exactly: amount).map { number.addingReportingOverflow($0) }
            guard let sum, !sum.overflow else {
                let limit = Int64(exactly: Value.max) == nil ? "Int64" : "\(Value.self)"
                throw PropertyFault(reason: "is \(number); \(amount) more does not fit in \(limit)")
            }
            guard Value(exactly: sum.partialValue) != nil else {
                throw PropertyFault(reason: "is \(number); \(amount) more does not fit in \(Value.self)")
            }
            return .int(sum.partialValue)
        }
    }
}

extension QueryField where Value: BinaryFloatingPoint & Sendable {
    /// Adds a number to a floating-point number; a missing number counts as zero.
    public func increment(_ amount: Value = 1) -> PropertyChange<Model> {
        PropertyChange(self) { stored, _, _ in
            let stored = stored ?? .double(0)
            if case .double(let number) = stored { return .double(Double(Value(number) + amount)) }
            guard case .int(let number) = stored else { throw PropertyFault(reason: "is not a number: \(stored)") }
            guard let exact = Value(exactly: number) else {
                throw PropertyFault(reason: "is \(number), which is not a \(Value.self)")
            }
            return .double(Double(exact + amount))
        }
    }
}

extension QueryField {
    /// Appends an element to a list; a missing list counts as empty.
    ///
    /// For a record, its reference is appended: the record must have been saved.
    public func append<Element: Encodable & Sendable>(_ element: Element) -> PropertyChange<Model>
    where Value == [Element] {
        changeList { coding, property in
            if let type = property.otherType, type is any SetType.Type {
                throw PropertyFault(
                    reason: "is a \(type): insert the element, as in $0.field(…, as: \(type).self).insert(…)")
            }
            return try coding.readableValue(of: element, in: property)
        } change: {
            $0.append($1)
        }
    }

    /// Inserts an element into a set, unless it has one with the same stored form; a missing set counts as empty.
    ///
    /// For a record, its reference is inserted: the record must have been saved.
    public func insert<Element: Encodable & Sendable>(_ element: Element) -> PropertyChange<Model>
    where Value == Set<Element> {
        changeList {
            try $0.readableValue(of: element, in: $1)
        } change: { list, element in
            guard !list.contains(where: { $0.isSameElement(as: element) }) else { return }
            list.append(element)
            if case .list(let sorted) = Record.Value.list(list).sorted(byEntries: false) { list = sorted }
        }
    }

    /// Removes all elements of a list whose stored form is equal to that of a given element.
    public func remove<Element: Encodable & Sendable>(_ element: Element) -> PropertyChange<Model>
    where Value == [Element] {
        removing(element)
    }

    /// Removes the element of a set whose stored form is equal to that of a given element.
    public func remove<Element: Encodable & Sendable>(_ element: Element) -> PropertyChange<Model>
    where Value == Set<Element> {
        removing(element)
    }

    private func removing(_ element: some Encodable & Sendable) -> PropertyChange<Model> {
        changeList {
            try $0.queryValue(of: element, in: $1)
        } change: { list, element in
            list.removeAll { $0.isSameElement(as: element) }
        }
    }

    private func changeList(
        element makeElement: @escaping @Sendable (RecordCoding, PropertyPath) throws -> Record.Value,
        change: @escaping @Sendable (inout [Record.Value], Record.Value) -> Void
    ) -> PropertyChange<Model> {
        PropertyChange(self) { stored, property, coding in
            guard case .list(var list) = stored ?? .list([]) else {
                throw PropertyFault(reason: "is not a list: \(stored?.description ?? "missing")")
            }
            change(&list, try makeElement(coding, property))
            return .list(list)
        }
    }
}

extension RecordCoding {
    /// The field value as an encoder stores it.
    ///
    /// - Throws: `PropertyFault` if its type cannot read it, and `AdjustmentError`.
    fileprivate func readableValue<Value: Encodable>(
        of value: Value, in property: PropertyPath
    ) throws -> Record.Value {
        let stored = try storedValue(of: value, in: property)
        // The whole property is compared with another type.
        if property.otherType != nil { return stored }
        let isAdjusted = property.isLocation || !property.innerLocations.isEmpty
        if let reason = FieldDeclaration.fault(
            of: isAdjusted ? try fieldValue(of: value) : stored, readAs: Value.self, self)
        {
            throw PropertyFault(reason: reason)
        }
        return stored
    }
}

extension Record {
    fileprivate mutating func change(_ path: FieldPath, _ change: (Record.Value?) throws -> Record.Value?) throws {
        guard let name = path.names.first else {
            let part = path == .recordName ? "the name" : "a date"
            throw PropertyFault(reason: "is \(part) of the record, not a field")
        }
        self[name] = try self[name].changed(path.names.dropFirst(), change)
    }
}

extension Record.Value? {
    fileprivate func changed(
        _ names: ArraySlice<String>, _ change: (Record.Value?) throws -> Record.Value?
    ) throws -> Record.Value? {
        guard let name = names.first else { return try change(self) }
        guard case .map(var fields)? = self else {
            throw PropertyFault(reason: "leads into \(self.map { "\($0)" } ?? "a missing value"), which is not a map")
        }
        fields[name] = try fields[name].changed(names.dropFirst(), change)
        return .map(fields)
    }
}

extension Record.Value {
    fileprivate func isSameElement(as other: Record.Value) -> Bool {
        guard case .reference(let reference) = self, case .reference(let other) = other else { return self == other }
        return reference.id == other.id
    }
}

private protocol SetType {}

extension Set: SetType {}
