// Descriptions of records for people. The Codable conformance has the typed form for programs.

extension Record: CustomStringConvertible {
    /// The ID, and below it a line for each field.
    ///
    /// ```
    /// Person/harry
    ///     name: "Harry"
    ///     school: → School/hogwarts
    /// ```
    public var description: String {
        fields.reduce(into: id.description) { $0 += "\n    \($1.name.asLabel): \($1.value)" }
    }
}

extension Record.Fields: CustomStringConvertible {
    /// The names and values in one line.
    public var description: String { Record.Value.map(self).description }
}

extension Record.Value: CustomStringConvertible {
    /// The value in one line: strings in quotes, references as arrows, bytes by their count.
    public var description: String {
        var text = ""
        var open: [Part] = [.value(self)]
        // Without recursion: values may be nested more deeply than a stack holds.
        while let part = open.popLast() {
            switch part {
            case .text(let part): text += part
            case .value(let value):
                switch value.contents {
                case .list(let values)?:
                    let parts = values.map { [Part.value($0)] }.joined(separator: [.text(", ")])
                    open += [.text("]")] + parts.reversed() + [.text("[")]
                case .map(let fields)?:
                    let parts = fields.map { [Part.text("\($0.name.asLabel): "), .value($0.value)] }
                        .joined(separator: [.text(", ")])
                    open += [.text("}")] + parts.reversed() + [.text("{")]
                case nil: text += value.scalarDescription
                }
            }
        }
        return text
    }

    private enum Part {
        case text(String)
        case value(Record.Value)
    }
}

extension String {
    var asLabel: String {
        let isPlain = !isEmpty && unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.isPlainInLabels }
        return isPlain ? self : quoted
    }

    /// This text in quotes, with escapes as in Swift, but not for apostrophes, which Swift escapes too.
    var quoted: String {
        let parts = unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map {
            String(decoding: String($0).debugDescription.utf8.dropFirst().dropLast(), as: UTF8.self)
        }
        return "\"\(parts.joined(separator: "'"))\""
    }
}

extension Unicode.Scalar {
    fileprivate var isPlainInLabels: Bool { properties.numericType != nil || "_-.$".unicodeScalars.contains(self) }
}

extension Record.Reference: CustomStringConvertible {
    /// An arrow and the target; dotted for a link, with a note for an action.
    public var description: String {
        "\(isLink ? "⇢" : "→") \(id)\(action == .deleteSelf ? " (delete with it)" : "")"
    }
}

extension RecordGraph: CustomStringConvertible {
    /// The records, one after the other.
    public var description: String { map(\.description).joined(separator: "\n") }
}

extension Record: ChildlessReflectable {}

extension Record.Fields: ChildlessReflectable {}

extension RecordGraph: CustomReflectable {
    /// The records as the elements of a collection.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .collection) }
}
