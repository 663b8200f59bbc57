import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    /// - Throws: ``InputError``, also for a type that no record can have.
    init(json: String, of input: String) throws {
        do {
            self = try JSONDecoder().decode(Mapping.self, from: Data(json.utf8))
            for type in types.keys { _ = try Record.ID(type: type, name: "1") }
        } catch {
            throw InputError(input: input, reason: "the mapping cannot be read: \(ErrorLine.text(of: error))")
        }
    }
}
