/// What the values of a document become: the whole description of a flattening.
///
/// A path has a step for each level from the root: `/key` for a member, `/[]` for the elements of a list, and `/*` for
/// the members of an object whose keys are names; keys that begin with `$` or `__` are none. In a key, `~0`, `~1`, `~2` and `~3` mean `~`, `/`, `*` and `[`.
struct Mapping: Codable, Equatable, Sendable {
    /// A record type: the objects at some paths.
    struct RecordType: Codable, Equatable, Sendable {
        var paths: [String]

        /// The key of the identifier, or one of the names below.
        var identifier: String
    }

    /// The maximum number of types, of records and of references.
    static let mostTypes = 10_000

    /// The name of a record is the key of its object.
    static let keyName = ":key"

    /// The name of a record is its position in its list, counted from 1.
    static let positionName = ":position"

    /// The name of the record is that of its file.
    static let fileName = ":file"

    var types: [String: RecordType] = [:]

    /// The paths of strings that are dates.
    var dates: [String] = []

    /// The paths of strings that are locations.
    var locations: [String] = []

    /// The types that strings refer to, by their path.
    var references: [String: String] = [:]

    /// The paths of values that are left out.
    var ignored: [String] = []
}

extension Mapping {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case types, dates, locations, references, ignored
    }

    /// Reads a mapping, whose members may be missing.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        types = try container.decodeIfPresent([String: RecordType].self, forKey: .types) ?? [:]
        dates = try container.decodeIfPresent([String].self, forKey: .dates) ?? []
        locations = try container.decodeIfPresent([String].self, forKey: .locations) ?? []
        references = try container.decodeIfPresent([String: String].self, forKey: .references) ?? [:]
        ignored = try container.decodeIfPresent([String].self, forKey: .ignored) ?? []
    }
}

/// One step of a path.
enum PathStep: Hashable, Sendable {
    case key(String)
    case element
    case entry

    /// The text of the step.
    var text: String {
        switch self {
        case .element: return "[]"
        case .entry: return "*"
        case .key(let key):
            guard key.utf8.contains(where: { "~/*[".utf8.contains($0) }) else { return key }
            var text = ""
            for scalar in key.unicodeScalars {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                case "*": text += "~2"
                case "[": text += "~3"
                default: text.unicodeScalars.append(scalar)
                }
            }
            return text
        }
    }

    /// The steps of a path.
    static func steps(of path: String) -> [PathStep] {
        path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { part in
            switch String(part) {
            case "[]": return .element
            case "*": return .entry  // Characters: a path has the star alone
            case let text: return .key(unescaped(text))
            }
        }
    }

    private static func unescaped(_ text: String) -> String {
        var key = ""
        var isEscape = false
        for scalar in text.unicodeScalars {
            if isEscape {
                switch scalar {
                case "1": key += "/"
                case "2": key += "*"
                case "3": key += "["
                default: key += "~"
                }
                isEscape = false
            } else if scalar == "~" {
                isEscape = true
            } else {
                key.unicodeScalars.append(scalar)
            }
        }
        return key
    }
}
