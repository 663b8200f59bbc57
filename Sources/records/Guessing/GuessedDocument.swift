import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A document with its mapping, ready to be written as records.
struct GuessedDocument {
    let mapping: Mapping
    let marked: MarkedTree

    /// The guess; nil if the mapping was given.
    let guess: Guess?

    /// Reads a document and guesses its mapping, or uses a given one.
    ///
    /// - Throws: ``InputError`` for a document that is no JSON, or has objects that contradict each other where the
    ///   user stated their identifier; `UsageError` for an option.
    init(_ bytes: [UInt8], of input: String, _ options: GuessOptions, _ given: Mapping? = nil) throws {
        let tree: JSONTree
        do {
            tree = try JSONTree(bytes)
        } catch let error as JSONError {
            throw InputError(input: input, reason: "\(error)")
        }
        if let given {
            (mapping, guess) = (given, nil)
            do {
                marked = try MarkedTree(tree, given, documentName: options.documentName)
            } catch let error as MarkedTree.Contradiction {
                throw error.named(in: tree, of: input)
            }
            return
        }
        var guess = try Guess(tree, options)
        while true {
            do {
                marked = try MarkedTree(tree, guess.mapping, documentName: options.documentName)
                break
            } catch let error as MarkedTree.Contradiction {
                // A guess may be wrong, the user is not.
                let isStated = options.types.contains { $0.type == error.type } || options.rootType == error.type
                if isStated || options.identifier(of: error.type) != nil { throw error.named(in: tree, of: input) }
                guess.embed(error.type)
            }
        }
        (mapping, self.guess) = (guess.mapping, guess)
    }

    /// The records, that of the document first.
    ///
    /// - Throws: Errors of the closure.
    func forEachRecord(canonicalizesLocations: Bool = false, _ body: (Record) throws -> Void) throws {
        var flattening = DocumentFlattening(marked, canonicalizesLocations: canonicalizesLocations)
        try body(try DocumentRecord(&flattening, mapping: mapping).record)
        try flattening.forEach(body)
    }
}

extension GuessOptions {
    /// The options for a file without any statement.
    init(path: String) {
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        if path != OpenFile.standardInput, (try? Record.ID(type: "A", name: name)) != nil {
            (documentName, fileName) = (name, name)
        }
    }
}

extension MarkedTree.Contradiction {
    fileprivate func named(in tree: JSONTree, of input: String) -> InputError {
        var field = ""
        for member in tree.children(of: first) {
            guard let other = tree.member(tree.nodes[member].key, of: second), !tree.isEqual(member, other) else {
                continue
            }
            field = " '\(tree.keyText(of: member))'"
            break
        }
        let start = tree.place(of: first)
        return InputError(
            input: input,
            reason: "\(tree.place(of: second)): found \(type)/\(name) with another field\(field) than at \(start), "
                + "expected equal objects where the ID is the same")
    }
}
