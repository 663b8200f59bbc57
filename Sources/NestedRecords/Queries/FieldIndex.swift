/// A database index of the records of a type, by one or more values in them.
///
/// ```swift
/// let indexes = [FieldIndex("Task", by: "owner", "due"), FieldIndex("Task", by: .modificationDate)]
/// ```
///
/// An index makes queries faster that compare or order by its paths: an index by owner and due date serves a query for the
/// tasks of one owner, also in the order of their due dates or within a range of them. It does not serve a query by
/// the due date alone. An index never changes results. Records without the values are in the index too.
public struct FieldIndex: Sendable, Hashable {
    /// The type of the records.
    public let recordType: String

    /// The paths whose values order the index: by the first, among equal values by the second, and so on.
    public let paths: [FieldPath]

    /// Declares an index; databases build it when they are opened with the declaration.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records.
    ///   - path: The first path.
    ///   - others: The other paths, in their order.
    public init(_ recordType: String, by path: FieldPath, _ others: FieldPath...) {
        self.init(recordType, by: [path] + others)
    }

    package init(_ recordType: String, by paths: [FieldPath]) { (self.recordType, self.paths) = (recordType, paths) }

    package func key(of record: Record) -> SortKey { SortKey(joining: paths.map { SortKey($0.value(in: record)) }) }

    package var storedName: String { "\(recordType)/\(paths.map(\.storedName).joined(separator: ","))" }

    package init?(storedName: String) {
        guard let slash = storedName.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        recordType = String(storedName[..<slash])
        paths = FieldPath.all(storedNames: storedName[storedName.utf8.index(after: slash)...])
    }
}

extension SortKey {
    /// The key in an index by several paths: the keys of the values, each but the last followed by U+0001 twice.
    ///
    /// Its byte order is that of the first key, among equal first keys that of the second, and so on.
    init(joining keys: [SortKey]) {
        self = keys.count == 1 ? keys[0] : SortKey(bound: Array(keys.map(\.bytes).joined(separator: [1, 1])))
    }
}

extension FieldIndex: CustomStringConvertible {
    /// The type and the paths.
    public var description: String { "\(recordType) by \(paths.map { "\($0)" }.joined(separator: ", "))" }
}

extension FieldPath {
    /// The names, separated by full stops; special characters are escaped with a backslash.
    fileprivate var storedName: String {
        if let attribute { return attribute.rawValue }
        return names.map { name in
            var text = ""
            for scalar in name.unicodeScalars {
                if ["\\", ".", "@", ","].contains(scalar) { text.unicodeScalars.append("\\") }
                text.unicodeScalars.append(scalar)
            }
            return text
        }.joined(separator: ".")
    }

    fileprivate static func all(storedNames text: Substring) -> [FieldPath] {
        var paths = [[""]]
        var isAttribute = [false]
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            let (path, name) = (paths.count - 1, paths[paths.count - 1].count - 1)
            if scalar == ",", !isEscaped {
                paths.append([""])
                isAttribute.append(false)
            } else if scalar == ".", !isEscaped {
                paths[path].append("")
            } else {
                if scalar == "@", !isEscaped { isAttribute[path] = true }
                paths[path][name].unicodeScalars.append(scalar)
            }
            isEscaped = false
        }
        return zip(paths, isAttribute).map { names, isAttribute in
            attributes.first { isAttribute && [$0.storedName] == names } ?? FieldPath(names)
        }
    }
}
