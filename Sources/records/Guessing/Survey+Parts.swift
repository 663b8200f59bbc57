import NestedRecords

/// Some objects at a place, and the step that leaves these; no step for the others.
struct SurveyPart {
    let step: PathStep?
    let isReference: Bool
    var objects: [UInt32]
}

extension Survey {
    /// Keys that say the type of an object, the surest first.
    static let sureDiscriminators = ["resourceType", "__typename", "@type", "@class", "sys.type"]
    static let discriminators = sureDiscriminators + ["type", "kind", "linkType"]

    private static let longestType = 64

    /// Divides the objects at a place by the types that they say themselves.
    mutating func parts(of objects: [UInt32], at place: Int) -> [SurveyPart] {
        var parts: [SurveyPart] = []
        var positions: [PathStep: Int] = [:]
        func add(_ object: UInt32, _ step: PathStep?, isReference: Bool) {
            let position = step.map { positions[$0] } ?? parts.firstIndex { $0.step == nil }
            if let position { return parts[position].objects.append(object) }
            if let step { positions[step] = parts.count }
            parts.append(SurveyPart(step: step, isReference: isReference, objects: [object]))
        }
        var rest: [UInt32] = []
        for object in objects {
            // A definition that only leads to another is a definition, too.
            if !places[place].isPointed, let step = referenceStep(of: Int(object)) {
                add(object, step, isReference: true)
            } else {
                rest.append(object)
            }
        }
        let isGraph = self.key(of: place) == "@graph"
        let key = places[place].parent == nil ? nil : discriminator(of: rest, sure: isGraph ? ["type"] : [])
        for object in rest {
            add(object, key.map { .only(key: $0, value: typeText($0, of: Int(object))) }, isReference: false)
        }
        return parts
    }

    /// The step to an object that is only a reference: `{"$ref": …}`, or a link of Contentful.
    private func referenceStep(of object: Int) -> PathStep? {
        guard let member = tree.onlyMember(of: object) else { return nil }
        if tree.keyText(of: member) == "$ref", tree.kind(of: member) == .text { return .only(key: "$ref", value: nil) }
        guard tree.keyText(of: member) == "sys", typeText("type", of: member) == "Link",
            let type = typeText("linkType", of: member)
        else { return nil }
        return .only(key: "sys.linkType", value: type)
    }

    /// Values that look like types and are none.
    private static let plainValues: Set<String> = [
        "true", "false", "none", "null", "yes", "no", "unknown", "string", "boolean", "bool", "integer", "int",
        "number", "float", "double", "object", "array",
    ]

    /// The type that an object says under a key.
    func typeText(_ key: String, of object: Int) -> String? {
        guard let keys = tree.keys(of: key), let member = tree.member(keys, of: object), tree.kind(of: member) == .text
        else { return nil }
        let text = tree.text(of: member)
        // The context of linked data gives terms the types '@id' and '@vocab', and those of values.
        if key == "@type", isTerm(object) { return nil }
        let isPlain =
            (1...Self.longestType).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        let isValue = Self.plainValues.contains(text.lowercased())
        return isPlain && !isValue && TypeName.type(ofValue: text) != nil ? text : nil
    }

    /// Whether an object says how linked data writes a term: it has a type and is in a context, without other members.
    private func isTerm(_ object: Int) -> Bool {
        hasContext && tree.children(of: object).allSatisfy { tree.keyText(of: $0).utf8.first == UInt8(ascii: "@") }
    }

    /// Whether all objects at a place are terms of linked data.
    func areTerms(_ place: Int) -> Bool { hasContext && places[place].objects.allSatisfy { isTerm(Int($0)) } }

    /// Whether the document has the types that only the terms of a context have.
    static func hasContext(_ tree: JSONTree) -> Bool {
        guard let key = tree.key("@type") else { return false }
        return tree.nodes.indices.contains { node in
            tree.nodes[node].key == key && tree.kind(of: node) == .text
                && ["@id", "@vocab"].contains(tree.text(of: node))
        }
    }

    /// The key by whose values some objects are of different types; nil if none is.
    private mutating func discriminator(of objects: [UInt32], sure: [String]) -> String? {
        if areFixtures(objects) { return Self.modelKey }
        for key in Self.sureDiscriminators + ["type", "kind"] where tree.keys(of: key) != nil {
            var byType: [String: [UInt32]] = [:]
            for object in objects {
                guard let type = typeText(key, of: Int(object)) else { break }
                byType[type, default: []].append(object)
            }
            guard !objects.isEmpty, byType.values.reduce(0, { $0 + $1.count }) == objects.count else { continue }
            if (Self.sureDiscriminators + sure).contains(key) || areResources(objects) { return key }
            // Values that differ in most objects name these.
            if objects.count > 3, 2 * byType.count > objects.count { continue }
            let areTypes = byType.keys.allSatisfy(\.isTypeLike)
            if byType.count > 1, haveCommonNames(byType) || areTypes && haveOtherKeys(byType) { return key }
            if arePairs(objects, key) { return key }
        }
        return nil
    }

    /// The key of the type in a fixture of Django: `app.model`.
    static let modelKey = "model"

    /// Whether objects have the form of Django's fixtures; the applications of two models with one name are noted.
    private mutating func areFixtures(_ objects: [UInt32]) -> Bool {
        guard let fields = tree.key("fields"), tree.key(Self.modelKey) != nil else { return false }
        let keys: Set = [Self.modelKey, "pk", "fields"]
        var models: [String: Set<String>] = [:]
        for object in objects {
            guard let model = typeText(Self.modelKey, of: Int(object)), let name = model.nameOfModel,
                let member = tree.member(fields, of: Int(object)), tree.kind(of: member) == .object,
                keys.isSuperset(of: tree.children(of: Int(object)).map { tree.keyText(of: $0) })
            else { return false }
            models[name, default: []].insert(model)
        }
        ambiguousModels.formUnion(models.values.filter { $0.count > 1 }.joined())
        return true
    }

    /// The type that a discriminator says.
    func type(ofValue value: String, under key: String) -> String? {
        let isModel = key == Self.modelKey && !ambiguousModels.contains(value)
        return isModel ? value.nameOfModel : TypeName.type(ofValue: value)
    }

    /// Whether objects have the form of JSON:API.
    private func areResources(_ objects: [UInt32]) -> Bool {
        guard tree.key("attributes") != nil || tree.key("relationships") != nil else { return false }
        let keys: Set = ["type", "id", "lid", "attributes", "relationships", "links", "meta"]
        return objects.allSatisfy { object in
            let members = tree.children(of: Int(object)).map { tree.keyText(of: $0) }
            return Set(members).isSuperset(of: ["id", "type"]) && keys.isSuperset(of: members)
        }
    }

    /// Whether objects of different types have one identifier.
    private func haveCommonNames(_ byType: [String: [UInt32]]) -> Bool {
        guard let key = tree.key("id") ?? tree.key("_id") else { return false }
        var names: Set<Identifiers.RecordName> = []
        for objects in byType.values {
            let own = objects.compactMap {
                tree.member(key, of: Int($0)).flatMap(tree.name).map(Identifiers.RecordName.init)
            }
            guard own.count == objects.count, Set(own).count == own.count else { return false }
            if !names.isDisjoint(with: own) { return true }
            names.formUnion(own)
        }
        return false
    }

    /// Whether all objects of some type have a key that the objects of another type do not have.
    private func haveOtherKeys(_ byType: [String: [UInt32]]) -> Bool {
        let keys = byType.sorted { $0.key < $1.key }.map { _, objects in
            objects.map { Set(tree.children(of: Int($0)).map { tree.nodes[$0].key }) }
        }
        func isOther(_ first: [Set<UInt32>], _ second: [Set<UInt32>]) -> Bool {
            let common = first.dropFirst().reduce(first[0]) { $0.intersection($1) }
            return !common.isSubset(of: second.reduce(into: []) { $0.formUnion($1) })
        }
        return keys.dropFirst().contains { isOther(keys[0], $0) || isOther($0, keys[0]) }
    }

    /// Whether objects have nothing but a type and the identifier of a fuller object.
    private mutating func arePairs(_ objects: [UInt32], _ key: String) -> Bool {
        guard let id = tree.key("id") else { return false }
        return objects.allSatisfy { tree.children(of: Int($0)).count(where: { _ in true }) == 2 }
            && !namedObjects.isDisjoint(
                with: objects.compactMap { object in
                    guard let name = tree.member(id, of: Int(object)).flatMap(tree.name) else { return nil }
                    return typeText(key, of: Int(object)).flatMap(TypeName.type(ofValue:)).map { "\($0)/\(name)" }
                })
    }

    /// The types and identifiers of the objects with more than these.
    static func namedObjects(in tree: JSONTree) -> Set<String> {
        guard let id = tree.key("id") else { return [] }
        var names: Set<String> = []
        var open: [(end: Int, key: String)] = []
        for node in tree.root..<tree.nodes.count {
            while let last = open.last, last.end <= node { open.removeLast() }
            let isElement = tree.nodes[node].key == JSONTree.noKey
            let key = isElement ? open.last?.key ?? "" : tree.keyText(of: node)
            let end = Int(tree.nodes[node].end)
            if end == node + 1 { continue }
            open.append((end, key))
            guard tree.kind(of: node) == .object, let member = tree.member(id, of: node),
                let name = tree.name(from: member),
                tree.children(of: node).count(where: { _ in true }) > 2
            else { continue }
            let types = ["type", "kind"].compactMap { key in
                tree.key(key).flatMap { tree.member($0, of: node) }.flatMap {
                    tree.kind(of: $0) == .text ? tree.text(of: $0) : nil
                }
            }
            let named = types.map(TypeName.type(ofValue:)) + [TypeName.type(of: key)]
            for type in named.compactMap(\.self) { names.insert("\(type)/\(name)") }
        }
        return names
    }
}

extension String {
    /// The type that `app.model` gives.
    fileprivate var nameOfModel: String? {
        utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { TypeName.type(ofValue: String(self[$0...].dropFirst())) }
    }

    /// Whether a value is written as types are: with a capital, or in the plural.
    fileprivate var isTypeLike: Bool {
        utf8.first.map { (0x41...0x5A).contains($0) } ?? false || TypeName.isPlural(self)
    }
}
