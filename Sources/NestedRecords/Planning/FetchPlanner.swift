/// Determines which references types follow: from their properties, and from their requests during decoding.
final class FetchPlanner {
    private(set) var knowledge: FetchPlan
    private let naming: FieldNaming
    private let userInfo: [CodingUserInfoKey: any Sendable]
    private(set) var hasLearned = false
    var changedTypes: Set<String> = []

    /// Cached answers whether fields are followed: some tests try many spellings.
    private var answers: [RecordField: Bool] = [:]

    var absent: Set<Record.ID> = []
    var wanted: [(id: Record.ID, place: RecordContext)] = []

    init<Model: RecordDecodable>(
        knowledge: FetchPlan?, of model: Model.Type, _ naming: FieldNaming, userInfo: [CodingUserInfoKey: any Sendable]
    ) {
        (self.naming, self.userInfo) = (naming, userInfo)
        self.knowledge = knowledge ?? FetchPlan()
        if knowledge == nil { self.knowledge.noteVisible(model) }
    }

    func look(at id: Record.ID) {
        guard let models = knowledge.visible.removeValue(forKey: id.type) else { return }
        for model in models.values { learn(model, decoding: id) }
    }

    func learn<Model: RecordDecodable>(_ model: Model.Type, decoding id: Record.ID) {
        guard !knowledge.models.contains(ModelOfRecords(model, id.type)) else { return }
        // In a separate plan: the type's code runs, and may call this function again.
        var plan = FetchPlan()
        plan.add(model, decoding: id, naming, userInfo: userInfo)
        knowledge.merge(plan)
        noteLearned(of: [id.type])
    }

    private func noteLearned(of types: some Sequence<String>) {
        hasLearned = true
        changedTypes.formUnion(types)
        answers = [:]
    }

    func note(met types: Set<String>) {
        if types.isEmpty { return }
        knowledge.met.formUnion(types)
        noteLearned(of: types)
    }

    func wasRequested(_ id: Record.ID) -> Bool { absent.contains(id) }

    func follows(_ name: String, of type: String) -> Bool {
        let field = RecordField(type: type, name: name)
        if let answer = answers[field] { return answer }
        let answer = knowledge.types[type]?.follows(name) ?? false
        answers[field] = answer
        return answer
    }

    func learn(_ test: KeyTest, of type: String) {
        if knowledge.types[type, default: .init()].add(test) { noteLearned(of: [type]) }
    }

    func learn(_ field: String, of type: String, includingLinks: Bool) {
        let known = knowledge.types[type]?.named[field]
        guard known == nil || includingLinks && known == false else { return }
        knowledge.types[type, default: .init()].named[field] = includingLinks
        noteLearned(of: [type])
    }

    func learnUnfollowed(_ field: String, of type: String) {
        guard knowledge.types[type]?.unfollowed.insert(field).inserted == true else { return }
        hasLearned = true
        answers = [:]
    }

    func mayFollow(_ recordType: String, in name: String, of type: String) -> Bool {
        knowledge.types[type]?.targets[name]?.contains(recordType) ?? true
    }

    func learn(targets: Set<String>, in field: RecordField) {
        guard let known = knowledge.types[field.type], !targets.isSubset(of: known.targets[field.name] ?? []) else {
            return
        }
        knowledge.types[field.type]?.targets[field.name, default: []].formUnion(targets)
        hasLearned = true
    }

    /// Notes a reference that must be followed before decoding can continue.
    func want(_ reference: Record.Reference, at place: RecordContext, field: (type: String, field: String)?) {
        wanted.append((reference.id, place))
        guard let (type, field) = field else { return }
        if !mayFollow(reference.id.type, in: field, of: type) {
            knowledge.types[type]?.targets[field]?.insert(reference.id.type)
            // Other records of its type were left out too.
            noteLearned(of: [type])
        }
        if reference.isLink || !(knowledge.types[type]?.follows(field) ?? false) {
            learn(field, of: type, includingLinks: reference.isLink)
        }
    }
}
