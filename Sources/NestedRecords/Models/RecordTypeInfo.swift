/// The static properties of a record-representable type, read once in a process.
final class RecordTypeInfo {
    let type: String
    let typeHash: UInt64
    let typeFault: String?
    let schema: RecordSchema
    let schemaFault: RecordError?

    /// Whether the type of each record must be checked, since it is not valid or each value states it.
    let isSuspicious: Bool
    let ignored: Set<String>
    let hasIgnored: Bool
    let hasHistory: Bool

    /// Whether the names in the schema still have to be confirmed as coding keys.
    private let hasUncheckedNames: Lock<Bool>
    let isDynamic: Bool
    let isClass: Bool
    let hasOwnNameAsType: Bool

    /// The type of the identifiers; nil if they are strings, or if their type cannot be a name.
    private let nameType: (any RecordNameConvertible.Type)?

    private init<Model: RecordRepresentable>(_: Model.Type) {
        type = Model.recordType
        typeHash = RecordIndex.hash(ofType: type)
        typeFault = Record.ID.validationError(forModelType: type).map { reason in
            OwnTypeNames.isTaken(of: Model.self)
                ? "\(reason); state a record type with 'static let recordType' in \(String(reflecting: Model.self))"
                : reason
        }
        let schema = Model.schema
        self.schema = schema
        isDynamic = Model.self is any DynamicRecordRepresentable.Type
        let isUnclaimable = isDynamic && !schema.unique.isEmpty
        let fault =
            schema.fault ?? (isUnclaimable ? ("unique", "each value states its record type") : nil)
            ?? schema.embeddedLocations.fault(in: Model.self).map { ("locations", $0) }
            ?? Self.namingFault(of: schema, in: Model.self)
        schemaFault = fault.map { .invalidSchema($0.part, type: "\(Model.self)", reason: $0.reason) }
        ignored = schema.ignoring
        hasIgnored = !ignored.isEmpty
        hasHistory = schema.hasHistory
        hasUncheckedNames = Lock(!schema.propertyNames.isEmpty)
        isSuspicious = isDynamic || typeFault != nil || schemaFault != nil
        isClass = Model.self is AnyClass
        hasOwnNameAsType = OwnTypeNames.isTaken(of: Model.self)
        nameType = (Model.self as? any Identifiable.Type).flatMap { Self.nameType(of: $0) }
        if !schema.formerNames.isEmpty { Self.note(schema.formerNames, of: type) }
        if !schema.unique.isEmpty, schemaFault == nil {
            let (unique, type) = (schema.unique, type)
            Self.noted.withLock { $0.unique[type, default: []].formUnion(unique) }
        }
    }

    private static func namingFault(
        of schema: RecordSchema, in model: any RecordRepresentable.Type
    ) -> (part: String, reason: String)? {
        guard schema.normalizing["id"] != nil, model is any Identifiable.Type else { return nil }
        return ("normalizing", "'id' is the name of the record: normalize it in the type of 'id'")
    }

    private static func nameType<Model: Identifiable>(of _: Model.Type) -> (any RecordNameConvertible.Type)? {
        Model.ID.self == String.self ? nil : Model.ID.self as? any RecordNameConvertible.Type
    }

    /// The spelling of a name in which the type of the identifiers writes it; the name itself if it reads no identifier.
    func canonicalName(of name: String) -> String { nameType?.canonicalName(of: name) ?? name }

    @inline(__always)
    func recordType(of value: some RecordRepresentable) -> String {
        isDynamic ? dynamicType(of: value) : type
    }

    @inline(never)
    private func dynamicType(of value: any RecordRepresentable) -> String {
        (value as? any DynamicRecordRepresentable)?.recordType ?? type
    }

    /// The reason why a record type that a value states is not valid; nil if it is valid.
    func fault(of type: String) -> String? { isDynamic ? Record.ID.validationError(forModelType: type) : typeFault }

    func adjusts(_ key: some CodingKey) -> Bool {
        schema.locations.contains(key.stringValue) || schema.cascading.contains(key.stringValue)
            || schema.normalizing[key.stringValue] != nil || !schema.embeddedLocations[key.stringValue].isEmpty
    }
}

// MARK: Cache

extension RecordTypeInfo {
    // The content is Sendable and never changes.
    private static let known = TypeCache<Handover<RecordTypeInfo>>()

    static func info<Model: RecordRepresentable>(of model: Model.Type) -> RecordTypeInfo {
        // The metatype of a class may be that of a subclass.
        let subclass = actualType(model)
        if subclass != Model.self { return info(of: subclass) }
        return known.info(of: model) { Handover(RecordTypeInfo(model)) }.take()
    }

    var areNamesChecked: Bool { hasUncheckedNames.withLock { !$0 } }

    func noteCheckedNames() { hasUncheckedNames.withLock { $0 = false } }
}

// MARK: By record type

extension RecordTypeInfo {
    private struct Noted: Sendable {
        var formerNames: [String: [String: [String]]] = [:]
        var unique: [String: Set<String>] = [:]
    }

    private static let noted = Lock(Noted())

    /// The unique properties of all types that were used so far, by record type.
    static var uniquePropertiesByType: [String: Set<String>] { noted.withLock { $0.unique } }

    static func uniqueProperties(of type: any RecordRepresentable.Type) -> (key: String, value: Set<String>) {
        let info = info(of: type)
        return (info.type, info.schema.unique)
    }

    /// The former names of the properties of all types that were used so far, by record type.
    ///
    /// Records are changed and saved without their Swift types.
    static var formerNamesByType: [String: [String: [String]]] { noted.withLock { $0.formerNames } }

    private static func note(_ formerNames: [String: [String]], of recordType: String) {
        noted.withLock { noted in
            noted.formerNames[recordType, default: [:]].merge(formerNames) { known, names in
                known + names.filter { !known.contains($0) }
            }
        }
    }
}

// MARK: Types

enum OwnTypeNames {
    private static let names = TypeCache<String>()

    static func name(of model: Any.Type) -> String {
        // `String(describing:)` returns the same name, but it handles any value and takes fifteen times as long.
        names.info(of: model) { _typeName(model, qualified: false) }
    }

    static func isTaken(of model: Any.Type) -> Bool { names[model] != nil }
}

// None of these functions is inlined: in the same function, Swift's optimizer (6.3.1) mistakes the class of the
// variable for that of the instance or of the metatype as soon as the type is opened, and a subclass is lost.

@inline(never)
func instanceType(of value: some RecordRepresentable) -> any RecordRepresentable.Type { type(of: value) }

@inline(never)
func instanceType(of value: some RecordEncodable) -> any RecordEncodable.Type { type(of: value) }

@inline(never)
func actualType(_ type: (some RecordRepresentable).Type) -> any RecordRepresentable.Type { type }

@inline(never)
func actualType(_ type: (some Decodable).Type) -> any Decodable.Type { type }
