/// A database index of the records of a type, by a value in them.
///
/// ```swift
/// let indexes = [FieldIndex("Book", by: "title"), FieldIndex("Book", by: .modificationDate)]
/// ```
///
/// An index makes queries faster that compare or order by its path. It never changes their results. Records without the
/// value are in the index too.
public struct FieldIndex: Sendable, Hashable {
    /// The type of the records.
    public let recordType: String

    /// The path whose values order the index.
    public let path: FieldPath

    /// Declares an index; databases build it when they are opened with the declaration.
    public init(_ recordType: String, by path: FieldPath) {
        self.recordType = recordType
        self.path = path
    }

    package func key(of record: Record) -> SortKey { SortKey(path.value(in: record)) }

    package var storedName: String { "\(recordType)/\(path.storedName)" }

    package init?(storedName: String) {
        guard let slash = storedName.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        recordType = String(storedName[..<slash])
        path = FieldPath(storedName: storedName[storedName.utf8.index(after: slash)...])
    }
}

extension FieldIndex: CustomStringConvertible {
    /// The type and the path.
    public var description: String { "\(recordType) by \(path)" }
}

extension FieldPath {
    /// The names, separated by full stops; special characters are escaped with a backslash.
    fileprivate var storedName: String {
        if let attribute { return attribute.rawValue }
        return names.map { name in
            var text = ""
            for scalar in name.unicodeScalars {
                if scalar == "\\" || scalar == "." || scalar == "@" { text.unicodeScalars.append("\\") }
                text.unicodeScalars.append(scalar)
            }
            return text
        }.joined(separator: ".")
    }

    fileprivate init(storedName text: Substring) {
        if let path = Self.attributes.first(where: { $0.storedName == text }) {
            self = path
            return
        }
        var names = [""]
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            if scalar == ".", !isEscaped {
                names.append("")
            } else {
                names[names.count - 1].unicodeScalars.append(scalar)
            }
            isEscaped = false
        }
        self.init(names)
    }
}
