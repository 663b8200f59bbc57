/// What the values of a document become: the whole description of a flattening.
///
/// A path has a step for each level from the root: `/key` for a member, `/[]` for the elements of a list, and `/*` for
/// the members of an object whose keys are names; keys that begin with `$` or `__` are none. A last step `/?type=notes`
/// leaves the objects with this value under a key, `/?$ref` those with no other member. In a key, `~0`, `~1`, `~2`,
/// `~3` and `~4` mean `~`, `/`, `*`, `[` and `?`.
struct Mapping: Codable, Equatable, Sendable {
    /// A record type: the objects at some paths.
    struct RecordType: Codable, Equatable, Sendable {
        var paths: [String]

        /// The key of the identifier, `member.key` for one inside a member, or one of the names below.
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

    /// The type of references whose values say their type themselves.
    static let anyType = "*"

    var types: [String: RecordType] = [:]

    /// The paths of strings that are dates.
    var dates: [String] = []

    /// The paths of strings that are locations.
    var locations: [String] = []

    /// The types that values refer to, by their path.
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

    /// The objects with a value under a key, perhaps `member.key`; without a value those that have this key alone.
    case only(key: String, value: String?)

    /// The text of the step.
    var text: String {
        switch self {
        case .element: return "[]"
        case .entry: return "*"
        case .key(let key): return Self.escaped(key)
        case .only(let key, let value): return "?" + Self.escaped(key) + (value.map { "=" + Self.escaped($0) } ?? "")
        }
    }

    private static let escapes: [(sign: Unicode.Scalar, digit: Unicode.Scalar)] = [
        ("~", "0"), ("/", "1"), ("*", "2"), ("[", "3"), ("?", "4"),
    ]

    private static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { "~/*[?".utf8.contains($0) }) else { return key }
        return key.unicodeScalars.map { scalar in
            escapes.first { $0.sign == scalar }.map { "~\($0.digit)" } ?? String(scalar)
        }.joined()
    }

    /// The steps of a path.
    static func steps(of path: String) -> [PathStep] {
        path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { partScalars in
            switch String(partScalars) {
            case "[]": return .element
            case "*": return .entry  // Characters: a path has the star alone
            case let text where text.utf8.first == UInt8(ascii: "?"):
                let keyScalars = partScalars.dropFirst()
                let parts = keyScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count == 2 ? unescaped(String(parts[1])) : nil
                return .only(key: unescaped(String(parts[0])), value: value)
            case let text: return .key(unescaped(text))
            }
        }
    }

    static func unescaped(_ text: String) -> String {
        var key = ""
        var isEscape = false
        for scalar in text.unicodeScalars {
            if isEscape {
                key.unicodeScalars.append(escapes.first { $0.digit == scalar }?.sign ?? "~")
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

// MARK: Names with their types

extension Mapping {
    /// The types by the beginnings of strings that name a record, such as `Person/`.
    var prefixes: [String: String] {
        var prefixes = Dictionary(uniqueKeysWithValues: types.keys.map { ($0 + "/", $0) })
        for (name, type) in types.sorted(by: { $0.key < $1.key }) {
            for path in type.paths {
                if case .only(_, let value?)? = PathStep.steps(of: path).last { prefixes[value + "/"] = name }
            }
        }
        return prefixes
    }
}

extension String {
    /// The parts of a string such as `Person/ada`; nil for another string.
    var typedName: (prefix: String, name: String)? {
        utf8.firstIndex(of: UInt8(ascii: "/")).map { slash in
            (
                String(decoding: utf8[...slash], as: UTF8.self),
                String(decoding: utf8[slash...].dropFirst(), as: UTF8.self)
            )
        }
    }
}
