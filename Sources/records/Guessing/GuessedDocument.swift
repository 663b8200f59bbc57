import Foundation
import NestedRecords

/// A document with its mapping, ready to be written as records.
struct GuessedDocument {
    let mapping: Mapping
    let marked: MarkedTree

    /// The name of the document in errors.
    private let input: String

    /// The guess; nil if the mapping was given.
    let guess: Guess?

    /// Reads a document and guesses its mapping, or uses a given one.
    ///
    /// - Throws: ``InputError`` for a document that is no JSON, for objects that contradict each other where the user
    ///   stated their type, and for strings that are not what the user stated; `UsageError` for an option.
    init(_ bytes: [UInt8], of input: String, _ options: GuessOptions, _ given: Mapping? = nil) throws {
        var guess: Guess?
        self.input = input
        do {
            var tree = try JSONTree(readable: bytes)
            let ignored = try given?.ignored ?? options.ignoredPaths(in: tree)
            if !ignored.isEmpty { tree = try tree.without(ignored) }
            guess = given == nil ? try Guess(tree, options, ignored) : nil
            while true {
                do {
                    let mapping = given ?? guess?.mapping ?? Mapping()
                    guard mapping.types.count + mapping.references.count <= Mapping.mostTypes else {
                        let reason = "the document has more than \(Mapping.mostTypes.grouped) types of records"
                        throw JSONError(reason: reason, place: tree.place(of: tree.root))
                    }
                    marked = try MarkedTree(
                        tree, mapping, documentName: options.documentName,
                        canonicalizesUUIDs: options.canonicalizesUUIDs)
                    self.mapping = mapping
                    break
                } catch let error as MarkedTree.Contradictions {
                    // A guess may be wrong, the user is not.
                    if let stated = error.all.first(where: { guess == nil || options.states($0.type) }) {
                        throw stated.placed(in: tree)
                    }
                    for contradiction in error.all { guess?.embed(contradiction, of: tree) }
                }
            }
            self.guess = guess
            if guess != nil { try checkReferences(options) }
            if given != nil || !options.dates.isEmpty || !options.locations.isEmpty { try marked.checkTexts() }
        } catch let error as JSONError {
            throw InputError(input: input, reason: "\(error)")
        }
    }

    /// Checks that each stated reference is one somewhere.
    private func checkReferences(_ options: GuessOptions) throws {
        guard !options.references.isEmpty else { return }
        let survey = Survey(marked.tree, findsMaps: !options.isExact)
        for (place, type) in options.references {
            let paths = survey.places.indices.filter { survey.matches(place, $0) }.map(survey.path)
            if marked.linkedPaths.isDisjoint(with: paths) {
                let what = type == Mapping.anyType ? "names a record" : "is the name of a \(type)"
                throw UsageError("option '--refer': no value under '\(place.shortened)' \(what)")
            }
        }
    }

    /// The records, that of the document first.
    func forEachRecord(canonicalizesLocations: Bool = false, _ body: (Record) throws -> Void) throws {
        var flattening = DocumentFlattening(marked, canonicalizesLocations: canonicalizesLocations)
        do {
            try body(try DocumentRecord(&flattening, mapping: mapping).record)
        } catch let error as JSONError {
            throw InputError(input: input, reason: "\(error)")
        }
        try flattening.forEach(body)
    }
}

extension GuessOptions {
    /// The options for a file without any statement; nil for standard input.
    init(path: String?) {
        guard let name = path?.nameOfFile, (try? Record.ID(type: "A", name: name)) != nil else { return }
        (documentName, fileName) = (name, name)
    }

    /// The paths of the values to leave out.
    ///
    /// - Throws: `UsageError` for a key or a path that does not occur.
    fileprivate func ignoredPaths(in tree: JSONTree) throws -> [String] {
        if ignored.isEmpty { return [] }
        let survey = Survey(tree, findsMaps: !isExact)
        try OptionCheck(survey: survey, types: []).check(ignored)
        return survey.places.indices.filter { place in ignored.contains { survey.matches($0, place) } }
            .map(survey.path)
    }

    /// Whether the user stated a type or its identifier.
    fileprivate func states(_ type: String) -> Bool {
        isExact || types.contains { $0.type == type } || rootType == type || identifier(of: type) != nil
    }
}

extension String {
    /// The name of the file at this path, without its suffix.
    var nameOfFile: String { URL(fileURLWithPath: self).deletingPathExtension().lastPathComponent }
}

extension MarkedTree.Contradiction {
    /// The error with both places.
    fileprivate func placed(in tree: JSONTree) -> JSONError {
        func differing(_ first: Int, _ second: Int, orMissing isMissing: Bool) -> Int? {
            tree.children(of: first).first { member in
                tree.member(tree.nodes[member].key, of: second).map { !tree.isEqual(member, $0) } ?? isMissing
            }
        }
        let field =
            differing(first, second, orMissing: false) ?? differing(first, second, orMissing: true)
            ?? differing(second, first, orMissing: true)
        let name = field.map { " '\(tree.keyText(of: $0))'" } ?? ""
        return JSONError(
            reason: "found \(type)/\(self.name) with another field\(name) than at \(tree.place(of: first)), "
                + "expected equal objects where the ID is the same: name another key with --id-key, or use --embed",
            place: tree.place(of: second))
    }
}

extension MarkedTree {
    /// Checks that the strings that are to be dates or locations are such.
    fileprivate func checkTexts() throws {
        for node in marks.indices {
            switch marks[node] {
            case Mark.date.rawValue:
                let text = tree.text(of: node)
                guard Date(recordString: text) == nil else { continue }
                let reason = "found '\(text.shortened)', expected a date such as 2020-01-31T12:00:00Z"
                throw JSONError(reason: reason, place: tree.place(of: node))
            case Mark.location.rawValue:
                do {
                    _ = try Location(tree.text(of: node))
                } catch {
                    let reason = "\(error), expected a location such as \"57.05;-5.13\""
                    throw JSONError(reason: reason, place: tree.place(of: node))
                }
            default: break
            }
        }
    }
}

extension JSONTree {
    /// The document without the values at some paths.
    fileprivate func without(_ paths: [String]) throws -> JSONTree {
        var mapping = Mapping()
        mapping.ignored = paths
        let marks = MarkPaths(mapping, in: self)
        var removed: [Int] = []
        var open: [(end: Int, path: Int)] = []
        var node = root
        while node < nodes.count {
            while let last = open.last, last.end <= node { open.removeLast() }
            let path = open.isEmpty ? 0 : open.last.flatMap { marks.next($0.path, to: node, in: self) }
            let end = Int(nodes[node].end)
            guard let path, open.count <= MarkedTree.deepest else {
                node = end
                continue
            }
            if marks.marks[path] == Mark.ignored.rawValue, node != root {
                removed.append(node)
                node = end
            } else {
                open.append((end, path))
                node += 1
            }
        }
        return try removing(removed)
    }
}
