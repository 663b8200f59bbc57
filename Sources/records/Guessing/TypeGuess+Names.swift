import NestedRecords

extension TypeGuess {
    /// Keys of lists that do not name their objects.
    private static let general = ["data", "items", "value", "values", "list", "rows", "records", "objects"]

    /// The name that the key of a place gives.
    func name(of place: Int) -> String {
        var file = options.fileName.flatMap(TypeName.type(ofFile:))
        if let text = file, text.utf8.count > 40 { file = nil }
        guard let key = survey.key(of: place) else {
            if place > 0 { return file ?? "Item" }
            // A file that is named like its object does not have the name of a type.
            let names = identifiers.candidates(survey.places[0], type: nil).compactMap {
                identifiers.name(of: survey.tree.root, $0)
            }
            return file.flatMap { file in names.contains { TypeName.type(of: $0) == file } ? nil : file } ?? "Document"
        }
        let list = survey.places[place].parent
        if let file, Self.general.contains(key), list.flatMap({ survey.places[$0].parent }) == 0 { return file }
        // An entry of an entry has no key of its own.
        let isInner =
            survey.places[place].step == .entry && list.map { survey.places[$0].step == .entry } ?? false
        let end = isInner ? "Entry" : ""
        if let name = TypeName.type(of: key) { return name + end }
        let digits = TypeName.type(of: "a" + key)?.utf8.dropFirst() ?? ""[...].utf8
        if let file, file.utf8.suffix(digits.count).elementsEqual(digits) { return file + end }
        return (file ?? "Item") + String(Substring(digits)) + end
    }

    /// The name, or that of an enclosing key before it if another type has it.
    ///
    /// The result is nil if there is none, and for objects inside others of the name, which are parts of them.
    func distinct(_ name: String, _ places: [Int]) -> String? {
        func isFree(_ name: String) -> Bool { typesByName[name] == nil }
        guard let type = typesByName[name] else { return name }
        if typesAround(places).contains(type) { return nil }
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
