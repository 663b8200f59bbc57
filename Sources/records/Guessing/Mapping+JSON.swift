import Foundation
import NestedRecords

extension Mapping {
    /// The mapping in one line of JSON.
    var json: String {
        get throws { String(decoding: try encoded(), as: UTF8.self) }
    }

    /// The mapping as JSON for people.
    var readableJSON: String {
        get throws { String(decoding: try encoded([.prettyPrinted]), as: UTF8.self) + "\n" }
    }

    private func encoded(_ formatting: JSONEncoder.OutputFormatting = []) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return try encoder.encode(self)
    }

    /// Reads a mapping.
    ///
    /// - Throws: ``InputError``, also for a member that no mapping has, and for a type that no record can have.
    init(json: String, of input: String) throws {
        do {
            let tree = try JSONTree(Array(json.utf8))
            let keys = CodingKeys.allCases.map(\.rawValue)
            if tree.kind(of: 1) == .object,
                let other = tree.children(of: 1).first(where: { node in
                    !keys.contains { $0.utf8.elementsEqual(tree.keyText(of: node).utf8) }
                })
            {
                let names = keys.joined(separator: ", ")
                throw JSONError(
                    reason: "found '\(tree.keyText(of: other).shortened)', expected a mapping with \(names)",
                    place: tree.place(of: other))
            }
            self = try JSONDecoder().decode(Mapping.self, from: Data(json.utf8))
            for type in Array(types.keys) + references.values.filter({ $0 != Self.anyType }) {
                _ = try Record.ID(type: type, name: "1")
                if Record.ID.isReserved(type: type) {
                    throw InputError(input: input, reason: "the type '\(type)' is reserved for the library")
                }
            }
            let paths = types.values.flatMap(\.paths) + dates + locations + references.keys + ignored
            if let path = paths.first(where: { !$0.isEmpty && $0.utf8.first != UInt8(ascii: "/") }) {
                throw InputError(input: input, reason: "'\(path.shortened)' is not a path, which begins with '/'")
            }
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError(input: input, reason: "the mapping cannot be read: \(ErrorLine.text(of: error))")
        }
    }
}
