/// What a record-representable type says of its records: it is read once in a process.
final class RecordTypeInfo {
    let type: String

    /// The type's part of the hash of an ID.
    let typeHash: UInt64

    /// What is wrong with the type, where records cannot have it.
    let typeFault: String?

    /// What is wrong with the lists of properties.
    let listFault: RecordError?

    /// Whether the type of each record has to be looked at, since it is wrong or stated by each value.
    let isSuspicious: Bool

    var ignored: Set<String> { ignoredList.names }
    let hasIgnored: Bool

    var locations: Set<String> { locationList.names }
    var cascading: Set<String> { cascadingList.names }

    /// The values of the ignored properties that have one.
    var ignoredValues: [String: any Encodable] { ignoredList.values }

    private let ignoredList: PropertyList
    private let locationList: PropertyList
    private let cascadingList: PropertyList

    /// The names that must be coding keys, each with its list.
    let propertyNames: [(list: String, name: String)]

    /// Whether a call has found that they are.
    private let checked = Lock(false)

    /// What the type says of former forms of its records; nil where it says nothing.
    let history: TypeHistory?
    let hasHistory: Bool

    /// Whether each value states its record's type.
    let isDynamic: Bool

    /// Whether values have an identity besides their ID.
    let isClass: Bool

    /// Whether the type states no record type, so that its own name is taken.
    let hasOwnNameAsType: Bool

    private init<Model: RecordRepresentable>(_: Model.Type) {
        type = Model.recordType
        typeHash = RecordIndex.hash(ofType: type)
        typeFault = Record.ID.validationError(forType: type).map { reason in
            OwnTypeNames.isTaken(of: Model.self)
                ? "\(reason); state a record type with 'static let recordType' in \(String(reflecting: Model.self))"
                : reason
        }
        ignoredList = PropertyList(Model.ignoredProperties)
        locationList = PropertyList(Model.locationProperties)
        cascadingList = PropertyList(Model.cascadingProperties)
        hasIgnored = !ignoredList.names.isEmpty
        history = TypeHistory(of: Model.self)
        hasHistory = history != nil
        let lists = [
            ("ignoredProperties", ignoredList), ("locationProperties", locationList),
            ("cascadingProperties", cascadingList),
        ]
        listFault =
            Self.fault(in: lists, of: Model.self)
            ?? (history?.fault).map { .invalidPropertyList($0.list, type: "\(Model.self)", reason: $0.reason) }
        propertyNames =
            lists.flatMap { list, content in content.names.map { (list, $0) } } + (history?.propertyNames ?? [])
        isDynamic = Model.self is any DynamicRecordRepresentable.Type
        isSuspicious = isDynamic || typeFault != nil || listFault != nil
        isClass = Model.self is AnyClass
        hasOwnNameAsType = OwnTypeNames.isTaken(of: Model.self)
        history?.note(type)
    }

    private static func fault(in lists: [(name: String, content: PropertyList)], of model: Any.Type) -> RecordError? {
        for (name, content) in lists {
            if let reason = content.fault {
                return .invalidPropertyList(name, type: "\(model)", reason: reason)
            }
            if name != "ignoredProperties", !content.values.isEmpty {
                return .invalidPropertyList(name, type: "\(model)", reason: "only ignored properties have values")
            }
        }
        return nil
    }

    /// The type of a value's record.
    @inline(__always)
    func recordType(of value: some RecordRepresentable) -> String {
        isDynamic ? dynamicType(of: value) : type
    }

    @inline(never)
    private func dynamicType(of value: any RecordRepresentable) -> String {
        (value as? any DynamicRecordRepresentable)?.recordType ?? type
    }

    /// What is wrong with a type of records that a value states.
    func fault(of type: String) -> String? { isDynamic ? Record.ID.validationError(forType: type) : typeFault }

    /// Whether the values of a key are not stored as they are.
    func adjusts(_ key: some CodingKey) -> Bool {
        locations.contains(key.stringValue) || cascading.contains(key.stringValue)
    }
}

// MARK: Cache

extension RecordTypeInfo {
    // The lists in it are Sendable and never change.
    private static let known = TypeCache<Handover<RecordTypeInfo>>()

    /// What a type says of its records.
    static func info<Model: RecordRepresentable>(of model: Model.Type) -> RecordTypeInfo {
        // The metatype of a class may be that of a subclass.
        let subclass = actualType(model)
        if subclass != Model.self { return info(of: subclass) }
        return known.info(of: model) { Handover(RecordTypeInfo(model)) }.take()
    }

    /// Whether it is known that all names in the lists are coding keys of the type.
    var areNamesChecked: Bool { propertyNames.isEmpty || checked.withLock { $0 } }

    /// Notes that all names in the lists are coding keys of the type.
    func noteCheckedNames() { checked.withLock { $0 = true } }
}

// MARK: Types

/// The names of Swift types that are their record types, since they state none.
enum OwnTypeNames {
    private static let names = TypeCache<String>()

    /// The type's own name, without its module and outer types.
    static func name(of model: Any.Type) -> String {
        // What `String(describing:)` gives too, by the way of all values and in fifteen times as long.
        names.info(of: model) { _typeName(model, qualified: false) }
    }

    /// Whether the type was asked for its record type, and took its own name.
    static func isTaken(of model: Any.Type) -> Bool { names[model] != nil }
}

// None of these functions is inlined: in the same function, Swift's optimizer (6.3.1) takes the class of the variable for
// that of the instance or of the metatype as soon as the type is opened, and a subclass is lost.

/// The class of an instance, whatever the type of the variable.
@inline(never)
func instanceType(of value: some RecordRepresentable) -> any RecordRepresentable.Type { type(of: value) }

@inline(never)
func instanceType(of value: some RecordEncodable) -> any RecordEncodable.Type { type(of: value) }

/// The class of a metatype, whatever the type of the variable.
@inline(never)
func actualType(_ type: (some RecordRepresentable).Type) -> any RecordRepresentable.Type { type }

@inline(never)
func actualType(_ type: (some Decodable).Type) -> any Decodable.Type { type }
