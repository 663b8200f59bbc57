/// Maps records to Swift types where the type of a property leaves that open.
struct RecordTypeRegistry: Sendable {
    private var types: [String: [any RecordDecodable.Type]] = [:]
    private var fallbacks: [any RecordDecodable.Type] = []

    init() {}

    init(_ unionTypes: [any RecordDecodable.Type]) {
        self = unionTypes.reduce(Self()) { types, type in
            type is any DynamicRecordRepresentable.Type ? types.registering(fallback: type) : types.registering(type)
        }
    }

    consuming func registering(_ type: any RecordDecodable.Type) -> RecordTypeRegistry {
        types[type.recordType, default: []].append(type)
        return self
    }

    consuming func registering(fallback type: any RecordDecodable.Type) -> RecordTypeRegistry {
        fallbacks.append(type)
        return self
    }

    var all: [any RecordDecodable.Type] { types.values.flatMap { $0 } + fallbacks }

    var hasFallbacks: Bool { !fallbacks.isEmpty }

    func registered(for recordType: String) -> [any RecordDecodable.Type] { types[recordType, default: []] }

    /// The record types of the registered subclasses of a class; nil if one of them may have any record type.
    func recordTypes(ofSubclassesOf type: any RecordRepresentable.Type) -> [String]? {
        if fallbacks.contains(where: { Self.isSubclass($0, of: type) }) { return nil }
        return types.filter { $0.value.contains { Self.isSubclass($0, of: type) } }.keys.sorted()
    }

    private static func isSubclass<Model: RecordRepresentable>(
        _ type: any RecordDecodable.Type, of _: Model.Type
    ) -> Bool { type is Model.Type }

    func types(for recordType: String) -> [any RecordDecodable.Type] { types[recordType, default: []] + fallbacks }

    func types(for recordType: String, addingSubclassesIn other: RecordTypeRegistry?) -> [any RecordDecodable.Type] {
        let subclasses = (other?.registered(for: recordType) ?? []).filter { type in
            (types.values.joined() + fallbacks).contains { Self.isSubclass(type, of: $0) }
        }
        return types[recordType, default: []] + subclasses + fallbacks
    }
}
