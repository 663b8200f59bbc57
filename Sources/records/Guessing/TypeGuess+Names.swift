import NestedRecords

extension TypeGuess {
    /// Keys of lists that do not name their objects.
    static let general = ["data", "items", "value", "values", "list", "rows", "records", "objects"]

    /// The name that the key of a place gives.
    func name(of place: Int) -> String {
        var file = options.fileName.flatMap(TypeName.type(ofFile:))
        if let text = file, text.utf8.count > 40 { file = nil }
        let list = survey.places[place].parent
        // An entry of an entry is without a key of its own.
        let isInner =
            survey.places[place].step == .entry && list.map { survey.places[$0].step == .entry } ?? false
        let end = isInner ? "Entry" : ""
        guard let key = survey.key(of: place) else {
            if place > 0 { return (file ?? "Item") + end }
            // A file that is named like its object does not have the name of a type.
            let names = identifiers.candidates(survey.places[0], type: nil).compactMap {
                identifiers.name(of: survey.tree.root, $0)
            }
            return file.flatMap { file in names.contains { TypeName.type(of: $0) == file } ? nil : file } ?? "Document"
        }
        if let file, Self.general.contains(key), list.flatMap({ survey.places[$0].parent }) == 0 { return file }
        if let name = TypeName.type(of: groupKey(of: place) ?? key) { return name + end }
        let digits = TypeName.type(of: "a" + key)?.utf8.dropFirst() ?? ""[...].utf8
        if let file, file.utf8.suffix(digits.count).elementsEqual(digits) { return file + end }
        return (file ?? "Item") + String(Substring(digits)) + end
    }

    /// The name that an identifier such as `operationId` gives entries of entries, which are without a key of their own.
    func nameOfEntries(_ kind: Kind, _ identifier: String) -> String? {
        guard kind.name.hasBytesAtEnd("Entry"), identifier.utf8.count > 2, identifier.hasBytesAtEnd("Id") else {
            return nil
        }
        return TypeName.type(of: String(decoding: identifier.utf8.dropLast(2), as: UTF8.self))
    }

    /// The key in the plural around several lists, whose own keys are those of groups: `{"users": {"active": […]}}`.
    private func groupKey(of place: Int) -> String? {
        guard survey.places[place].step == .element, let list = survey.places[place].parent,
            case .key(let key) = survey.places[list].step, !TypeName.isPlural(key), !Self.general.contains(key),
            let group = survey.places[list].parent, case .key(let outer) = survey.places[group].step,
            TypeName.isPlural(outer), survey.places[group].objects.count == 1,
            let object = survey.places[group].objects.first
        else { return nil }
        return survey.tree.children(of: Int(object)).allSatisfy { survey.tree.kind(of: $0) == .list } ? outer : nil
    }

    /// The name, or that of an enclosing key before it if another type has it.
    ///
    /// The result is nil if there is none, and for objects inside others of the name, which are parts of them.
    func distinct(_ name: String, _ places: [Int]) -> String? {
        func isFree(_ name: String) -> Bool { typesByName[name] == nil }
        guard let type = typesByName[name] else { return name }
        if typesAround(places).contains(type) {
            let isInner = places.allSatisfy { survey.places[$0].isPointed } && isFree("Inner" + name)
            return isInner ? "Inner" + name : nil
        }
        for parent in places.prefix(1).flatMap(survey.parents) {
            if case .key(let key) = survey.places[parent].step, let outer = TypeName.type(of: key), outer != name,
                isFree(outer + name)
            {
                return outer + name
            }
        }
        return nil
    }
}
