/// What a record-representable type says of its records: it is read once in a process.
final class RecordTypeInfo {
    let type: String

    /// The type's part of the hash of an ID.
    let typeHash: UInt64

    /// What is wrong with the type, where records cannot have it.
    let typeFault: String?

    /// What the type says of its properties.
    let schema: RecordSchema

    /// What is wrong with the schema.
    let schemaFault: RecordError?

    /// Whether the type of each record has to be looked at, since it is wrong or stated by each value.
    let isSuspicious: Bool

    /// The names of the properties that are neither stored nor read.
    let ignored: Set<String>
    let hasIgnored: Bool

    /// Whether records may have been stored by an earlier form of the type, or by a later one.
    let hasHistory: Bool

    /// Whether it is not known yet that the names in the schema are coding keys.
    private let hasUncheckedNames: Lock<Bool>

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
        let schema = Model.schema
        self.schema = schema
        schemaFault = schema.fault.map { .invalidSchema($0.part, type: "\(Model.self)", reason: $0.reason) }
        ignored = schema.ignoring.names
        hasIgnored = !ignored.isEmpty
        hasHistory = schema.hasHistory
        hasUncheckedNames = Lock(!schema.propertyNames.isEmpty)
        isDynamic = Model.self is any DynamicRecordRepresentable.Type
        isSuspicious = isDynamic || typeFault != nil || schemaFault != nil
        isClass = Model.self is AnyClass
        hasOwnNameAsType = OwnTypeNames.isTaken(of: Model.self)
        if !schema.formerNames.isEmpty { Self.note(schema.formerNames, of: type) }
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
        schema.locations.contains(key.stringValue) || schema.cascading.contains(key.stringValue)
    }
}

// MARK: Cache

extension RecordTypeInfo {
    // What is in it is Sendable and never changes.
    private static let known = TypeCache<Handover<RecordTypeInfo>>()

    /// What a type says of its records.
    static func info<Model: RecordRepresentable>(of model: Model.Type) -> RecordTypeInfo {
        // The metatype of a class may be that of a subclass.
        let subclass = actualType(model)
        if subclass != Model.self { return info(of: subclass) }
        return known.info(of: model) { Handover(RecordTypeInfo(model)) }.take()
    }

    /// Whether it is known that all names in the schema are coding keys of the type.
    var areNamesChecked: Bool { hasUncheckedNames.withLock { !$0 } }

    /// Notes that all names in the schema are coding keys of the type.
    func noteCheckedNames() { hasUncheckedNames.withLock { $0 = false } }
}

// MARK: Former names

extension RecordTypeInfo {
    private static let noted = Lock<[String: [String: [String]]]>([:])

    /// The former names of the properties of all types that were used so far, by record type.
    ///
    /// Records are changed and saved without their Swift types.
    static var formerNamesByType: [String: [String: [String]]] { noted.withLock { $0 } }

    private static func note(_ formerNames: [String: [String]], of recordType: String) {
        noted.withLock { noted in
            noted[recordType, default: [:]].merge(formerNames) { known, names in
                known + names.filter { !known.contains($0) }
            }
        }
    }
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
