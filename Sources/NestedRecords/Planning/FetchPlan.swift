struct FetchPlan: Sendable {
    struct Fields: Sendable {
        var tests: [KeyTest] = []

        /// Fields that are read independently of the keys, and whether links in them are followed too.
        var named: [String: Bool] = [:]

        var unfollowed: Set<String> = []
        var targets: [String: Set<String>] = [:]

        /// Adds a test.
        ///
        /// - Returns: Whether it is new.
        @discardableResult
        mutating func add(_ test: KeyTest) -> Bool {
            if tests.contains(where: test.isSame) { return false }
            tests.append(test)
            return true
        }

        func follows(_ field: String) -> Bool {
            named[field] != nil || !unfollowed.contains(field) && tests.contains { $0.knows(field) }
        }

        func followsLinks(_ field: String) -> Bool { named[field] ?? false }
    }

    var types: [String: Fields] = [:]
    var models: Set<ModelOfRecords> = []

    /// The types of records whose followed fields are certain, since decoding has read such records or their properties
    /// show it.
    var met: Set<String> = []

    var visible: [String: [ObjectIdentifier: any RecordDecodable.Type]] = [:]

    var count: Int {
        types.values.reduce(models.count + met.count) {
            $0 + $1.tests.count + $1.named.count + $1.unfollowed.count + $1.targets.count
        }
    }

    mutating func merge(_ other: Self) {
        models.formUnion(other.models)
        met.formUnion(other.met)
        visible.merge(other.visible) { $0.merging($1) { $1 } }
        for (recordType, visibleModels) in visible {
            let new = visibleModels.filter { !models.contains(ModelOfRecords($0.value, recordType)) }
            visible[recordType] = new.isEmpty ? nil : new
        }
        types.merge(other.types) { old, new in
            var merged = old
            for test in new.tests { merged.add(test) }
            merged.named.merge(new.named) { $0 || $1 }
            merged.unfollowed.formUnion(new.unfollowed)
            merged.targets.merge(new.targets) { $0.union($1) }
            return merged
        }
    }
}

struct ModelOfRecords: Hashable {
    let model: ObjectIdentifier
    let recordType: String

    init(_ model: Any.Type, _ recordType: String) {
        self.model = ObjectIdentifier(model)
        self.recordType = recordType
    }
}

extension FetchPlan {
    /// Adds the information from the stored properties and the keys of a type.
    ///
    /// This is a hint: if a type behaves differently, decoding corrects the plan.
    mutating func add<Model: RecordDecodable>(
        _ model: Model.Type, decoding id: Record.ID, _ naming: FieldNaming, userInfo: [CodingUserInfoKey: any Sendable]
    ) {
        models.insert(ModelOfRecords(model, id.type))
        guard let keys = PropertyKeys(of: model, id, userInfo: userInfo) else { return }
        var search = RecordSearch()
        var stored: [String: Bool] = [:]
        for property in StoredProperty.all(of: model) {
            let mayHoldRecords = search.mayHoldRecords(property.type)
            stored[property.name] = mayHoldRecords
            // A property with a wrapper is stored under its name with an underscore.
            if let name = property.name.bytes(after: "_"), stored[name] == nil { stored[name] = mayHoldRecords }
        }
        if let keyType = keys.keyType {
            let info = RecordTypeInfo.info(of: model)
            let test = KeyTest(
                keyType, ignored: info.ignored, formerNames: info.schema.formerNames, stored: stored, naming)
            types[id.type, default: Fields()].add(test)
        } else {
            types[id.type, default: Fields()].named[Record.singleValueField] = false
        }
        met.insert(id.type)
        for model in search.models { noteVisible(model) }
    }

    mutating func noteVisible<Model: RecordDecodable>(_ model: Model.Type) {
        let info = RecordTypeInfo.info(of: model)
        guard !info.isDynamic, !models.contains(ModelOfRecords(model, info.type)) else { return }
        visible[info.type, default: [:]][ObjectIdentifier(model)] = model
    }
}
