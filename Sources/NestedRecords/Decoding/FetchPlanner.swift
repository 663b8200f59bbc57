/// Which fields of records a Swift type and the types in it read.
struct FetchPlan: Sendable {
    /// What is known about the records of a type.
    struct Fields: Sendable {
        /// The types of keys that were used on the records.
        var tests: [KeyTest] = []

        /// Fields that are read whatever the keys say, and whether links in them are followed too.
        var named: [String: Bool] = [:]

        /// Fields that have a key, but whose references were not decoded as records.
        var unfollowed: Set<String> = []

        /// The types of the records that were decoded from references in a field; nil for a field whose references were
        /// not decoded yet.
        var targets: [String: Set<String>] = [:]

        /// Whether the references in a field are followed.
        func follows(_ field: String) -> Bool {
            named[field] != nil || !unfollowed.contains(field) && tests.contains { $0.knows(field) }
        }

        /// Whether the links in a field are followed.
        func followsLinks(_ field: String) -> Bool { named[field] ?? false }
    }

    /// By record type.
    var types: [String: Fields] = [:]

    /// The Swift types that were asked for their keys, with the types of records that they were asked for.
    var models: Set<ModelOfRecords> = []

    /// The types of records that decoding has met: only then is it known which fields hold nothing but links.
    var met: Set<String> = []

    init() {}

    /// A plan for a type that reads what it writes.
    init(_ encoded: EncodedTypes) {
        types = encoded.keys.mapValues { Fields(tests: $0) }
        met = Set(encoded.keys.keys)
    }

    /// The number of things that are known.
    fileprivate var count: Int {
        types.values.reduce(models.count + met.count) {
            $0 + $1.tests.count + $1.named.count + $1.unfollowed.count + $1.targets.count
        }
    }

    mutating func merge(_ other: Self) {
        models.formUnion(other.models)
        met.formUnion(other.met)
        types.merge(other.types) { old, new in
            var merged = old
            merged.tests += new.tests.filter { test in !old.tests.contains(where: test.isSame) }
            merged.named.merge(new.named) { $0 || $1 }
            merged.unfollowed.formUnion(new.unfollowed)
            merged.targets.merge(new.targets) { $0.union($1) }
            return merged
        }
    }
}

/// A Swift type together with a record type that it is decoded from.
struct ModelOfRecords: Hashable {
    let model: ObjectIdentifier
    let recordType: String

    init(_ model: Any.Type, _ recordType: String) {
        self.model = ObjectIdentifier(model)
        self.recordType = recordType
    }
}

/// Remembers what was learned about types, so that later decodings fetch everything before they begin.
final class FetchPlanCache: Sendable {
    private let knowledge = Lock<[ObjectIdentifier: FetchPlan]>([:])

    /// How much is remembered of a type: one whose names of fields or types of records are data has ever new ones, and
    /// every decoding copies what is known.
    private static let mostRemembered = 1_024

    // What a type reads depends on the names that its keys become. Two strategies are known to be the same always.
    private static let unchanged = FetchPlanCache(encoded: EncodedTypes.known(for: .unchanged))
    private static let snakeCase = FetchPlanCache(encoded: EncodedTypes.known(for: .snakeCase))

    /// What encodings have told of types.
    private let encoded: TypeCache<EncodedTypes>?

    init(encoded: TypeCache<EncodedTypes>? = nil) { self.encoded = encoded }

    static func memory(for strategy: KeyStrategy, _ embedding: EmbeddingStrategy) -> FetchPlanCache {
        guard embedding == .map else { return FetchPlanCache() }
        return switch strategy.kind {
        case .unchanged: unchanged
        case .snakeCase: snakeCase
        case .custom: FetchPlanCache()
        }
    }

    func knowledge(of type: Any.Type) -> FetchPlan {
        let known = knowledge.withLock { $0[ObjectIdentifier(type)] }
        // A decoding that found no record has learned nothing.
        if let known, !known.met.isEmpty { return known }
        return encoded?[type].map(FetchPlan.init) ?? FetchPlan()
    }

    func remember(_ learned: FetchPlan, of type: Any.Type) {
        knowledge.withLock { knowledge in
            // Others may have learned more in the meantime.
            var plan = knowledge[ObjectIdentifier(type)] ?? FetchPlan()
            plan.merge(learned)
            if plan.count <= Self.mostRemembered { knowledge[ObjectIdentifier(type)] = plan }
        }
    }
}

/// Learns, while values are decoded, which references their types follow.
final class FetchPlanner {
    private(set) var knowledge: FetchPlan

    /// The record types about which something new was learned.
    var changedTypes: Set<String> = []

    /// Whether fields are followed, as far as it was asked: some tests try many spellings.
    private var answers: [RecordField: Bool] = [:]

    /// The records that were fetched and are not there.
    var absent: Set<Record.ID> = []

    /// The references that could not be followed yet, and where they are.
    var wanted: [(id: Record.ID, place: RecordContext)] = []

    init(knowledge: FetchPlan) {
        self.knowledge = knowledge
    }

    /// Notes that a Swift type is asked for its keys.
    ///
    /// - Returns: Whether it was not asked before.
    func note(_ model: ModelOfRecords) -> Bool { knowledge.models.insert(model).inserted }

    /// Notes that decoding has met records of these types, or will not before more is fetched.
    func note(met types: Set<String>) {
        knowledge.met.formUnion(types)
        changedTypes.formUnion(types)
    }

    /// Whether a record that is not there was asked for.
    func wasRequested(_ id: Record.ID) -> Bool { absent.contains(id) }

    /// Whether the references in a field are followed.
    func follows(_ name: String, of type: String) -> Bool {
        let field = RecordField(type: type, name: name)
        if let answer = answers[field] { return answer }
        let answer = knowledge.types[type]?.follows(name) ?? false
        answers[field] = answer
        return answer
    }

    func learn(_ test: KeyTest, of type: String) {
        guard !(knowledge.types[type]?.tests.contains(where: test.isSame) ?? false) else { return }
        knowledge.types[type, default: .init()].tests.append(test)
        changedTypes.insert(type)
        answers = [:]
    }

    func learn(_ field: String, of type: String, includingLinks: Bool) {
        let known = knowledge.types[type]?.named[field]
        guard known == nil || includingLinks && known == false else { return }
        knowledge.types[type, default: .init()].named[field] = includingLinks
        changedTypes.insert(type)
        answers = [:]
    }

    /// Notes that a field's references are read as they are, or not at all.
    func learnUnfollowed(_ field: String, of type: String) {
        if knowledge.types[type]?.unfollowed.insert(field).inserted == true { answers = [:] }
    }

    /// Whether it may be that a reference in a field is followed: records of its type were, or of none so far.
    func mayFollow(_ recordType: String, in name: String, of type: String) -> Bool {
        knowledge.types[type]?.targets[name]?.contains(recordType) ?? true
    }

    /// Notes the types of the records that were decoded from references in a field.
    func learn(targets: Set<String>, in field: RecordField) {
        knowledge.types[field.type]?.targets[field.name, default: []].formUnion(targets)
    }

    /// Notes a reference that must be followed before decoding can go on.
    ///
    /// - Parameters:
    ///   - reference: The reference.
    ///   - place: Where it is.
    ///   - field: The type of the record that holds it, and the field.
    func want(_ reference: Record.Reference, at place: RecordContext, field: (type: String, field: String)?) {
        wanted.append((reference.id, place))
        guard let (type, field) = field else { return }
        if !mayFollow(reference.id.type, in: field, of: type) {
            knowledge.types[type]?.targets[field]?.insert(reference.id.type)
            // Others of its type were left out too.
            changedTypes.insert(type)
        }
        if reference.isLink || !(knowledge.types[type]?.follows(field) ?? false) {
            learn(field, of: type, includingLinks: reference.isLink)
        }
    }
}
