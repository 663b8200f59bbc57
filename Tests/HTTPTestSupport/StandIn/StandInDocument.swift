/// A document of the stand-in server.
struct StandInDocument: Sendable {
    var fields: [StandInName: StandInValue] {
        didSet { written = StandInValue.json(fields).bytes }
    }

    let created: StandInTime
    var updated: StandInTime

    /// The fields as JSON, which most documents need many times.
    private var written: [UInt8]

    init(fields: [StandInName: StandInValue], created: StandInTime, updated: StandInTime) {
        (self.fields, self.created, self.updated) = (fields, created, updated)
        written = StandInValue.json(fields).bytes
    }

    /// - Parameter mask: The paths of the fields to return; nil for all.
    func json(_ path: StandInName, mask: [[StandInName]]? = nil) -> StandInJSON {
        let shown = mask.map { StandInValue.json(Self.masked(fields, $0)) } ?? .written(written)
        return .make([
            "name": .text(path.text), "fields": shown,
            "createTime": .text(created.text), "updateTime": .text(updated.text),
        ])
    }

    private static func masked(
        _ fields: [StandInName: StandInValue], _ mask: [[StandInName]]
    ) -> [StandInName: StandInValue] {
        var shown: [StandInName: StandInValue] = [:]
        for path in mask {
            guard let first = path.first, let value = fields[first] else { continue }
            if path.count == 1 {
                shown[first] = value
            } else if case .map(let inner) = value {
                let inner = masked(inner, [Array(path.dropFirst())])
                if !inner.isEmpty { shown[first] = .map(inner) }
            }
        }
        return shown
    }

    /// Sets a field at a path, making maps on the way.
    mutating func set(_ path: [StandInName], _ value: StandInValue) { Self.set(path[...], value, in: &fields) }

    private static func set(
        _ path: ArraySlice<StandInName>, _ value: StandInValue, in fields: inout [StandInName: StandInValue]
    ) {
        guard let first = path.first else { return }
        if path.count == 1 {
            fields[first] = value
            return
        }
        var inner: [StandInName: StandInValue] = [:]
        if case .map(let found)? = fields[first] { inner = found }
        set(path.dropFirst(), value, in: &inner)
        fields[first] = .map(inner)
    }

    /// Parses a path of names, simple or in backquotes.
    ///
    /// https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents#Document
    static func path(_ text: String) throws -> [StandInName] {
        var (names, rest) = ([StandInName](), text.unicodeScalars[...])
        while true {
            var name = ""
            if rest.first == "`" {
                rest.removeFirst()
                while let next = rest.popFirst(), next != "`" {
                    if next == "\\", let escaped = rest.popFirst() {
                        name.unicodeScalars.append(escaped)
                    } else {
                        name.unicodeScalars.append(next)
                    }
                }
            } else {
                while let next = rest.first, next != "." {
                    let isDigit = ("0"..."9").contains(next)
                    guard
                        isDigit && !name.isEmpty || next == "_" || ("a"..."z").contains(next)
                            || ("A"..."Z").contains(next)
                    else { throw StandInError.invalid("Invalid field path \"\(text)\".") }
                    name.unicodeScalars.append(next)
                    rest.removeFirst()
                }
            }
            if name.isEmpty { throw StandInError.invalid("Invalid field path \"\(text)\".") }
            names.append(StandInName(name))
            if rest.isEmpty { return names }
            guard rest.popFirst() == "." else { throw StandInError.invalid("Invalid field path \"\(text)\".") }
        }
    }
}
