import NestedRecords

extension TypeGuess {
    /// The type that the objects at a place say themselves; nil for objects in a list or a map without a part for it.
    func saidName(of place: Int) -> String? {
        let values = survey.places[place]
        if case .only(let key, let value?)? = values.filter?.step { return survey.type(ofValue: value, under: key) }
        guard !values.isCollection, let first = values.objects.first else { return nil }
        let keys = place == 0 ? Survey.sureDiscriminators : Survey.sureDiscriminators + ["type"]
        for key in keys {
            guard let text = survey.typeText(key, of: Int(first)), let name = TypeName.type(ofValue: text),
                name.utf8.elementsEqual(text.utf8),
                values.objects.allSatisfy({ survey.typeText(key, of: Int($0)) == text })
            else { continue }
            return name
        }
        return nil
    }

    /// Whether objects are in a member that has the identifier of the object around them, or say what the document is.
    func isPartOfIdentifier(_ place: Int) -> Bool {
        guard case .key(let key) = survey.places[place].step, ["sys", "metadata", "meta"].contains(key) else {
            return false
        }
        if survey.places[place].parent == 0 { return true }
        let objects = survey.places[place].parent.map { survey.places[$0].objects } ?? []
        let candidates = survey.places[place].parent.map { identifiers.candidates(survey.places[$0], type: nil) } ?? []
        return objects.count > 0 && (candidates.first?.utf8.starts(with: (key + ".").utf8) ?? false)
    }

    /// Whether the objects have nothing but a type that they say and an identifier.
    func isPair(_ place: Int) -> Bool {
        let values = survey.places[place]
        guard values.filter != nil, values.keys.count == 2 else { return false }
        return values.keys.values.allSatisfy { $0 == values.objects.count }
    }

    func isPair(_ kind: Kind) -> Bool { kind.saysName && kind.places.allSatisfy(isPair) }

    /// Takes pairs of a type and an identifier as references, if some are those of a record.
    mutating func refer(_ kind: Kind) -> Bool {
        guard let type = typesByName[kind.name], types[type].places.allSatisfy({ !isPair($0) }) else { return false }
        let found = types[type]
        let objects = kind.places.flatMap { survey.places[$0].objects }
        guard
            objects.contains(where: { node in
                identifiers.name(of: Int(node), found.identifier).map {
                    found.names[Identifiers.RecordName(text: $0)] != nil
                } ?? false
            })
        else { return false }
        for place in kind.places { references[place] = found.name }
        return true
    }

    /// Takes objects of linked data with nothing but a name as references, if some are names of records.
    mutating func referByName(_ place: Int) {
        guard references[place] == nil else { return }
        let counts = types.prefix(Self.mostCompared).filter { ["@id", "$id"].contains($0.identifier) }.map { type in
            let names = survey.places[place].objects.compactMap { identifiers.name(of: Int($0), type.identifier) }
            return (type.name, names.count { type.names[Identifiers.RecordName(text: $0)] != nil })
        }
        // The objects may refer to records of several types, or of other documents: most decide.
        if let (name, count) = counts.max(by: { $0.1 < $1.1 }), count > 0 { references[place] = name }
    }

    /// Takes objects with nothing but a reference as such.
    mutating func noteReference(_ place: Int) {
        switch survey.places[place].filter?.step {
        case .only(_, let value?): references[place] = TypeName.type(ofValue: value)
        case .only: references[place] = Mapping.anyType
        default: break
        }
    }
}
