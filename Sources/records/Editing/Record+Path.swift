import NestedRecords

extension Record {
    /// The path that a user means: a field of this name, or else names with full stops between them of which the first
    /// ones name a field with a map or a location.
    func path(of text: String) -> FieldPath {
        let names = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard self[text] == nil, names.count > 1 else { return FieldPath([text]) }
        // The longest name: a name may contain full stops.
        for count in (1..<names.count).reversed() {
            let name = names[..<count].joined(separator: ".")
            switch self[name] {
            case .map?, .location?: return FieldPath([name] + names[count...])
            default: continue
            }
        }
        return FieldPath([text])
    }

    /// Sets or removes the value at a path.
    ///
    /// - Throws: `UsageError` if the path does not lead to a value in maps, or to a number in a location.
    mutating func set(_ value: Value?, at path: FieldPath) throws {
        guard let first = path.names.first else { throw UsageError("'\(path)' is not a field") }
        let rest = path.names.dropFirst()
        self[first] = rest.isEmpty ? value : try self[first]?.with(value, at: rest, of: "\(id): '\(path)'")
    }
}

extension Record.Value {
    /// This value with a changed value at a path within it.
    ///
    /// - Parameter owner: The record and the path, for errors.
    fileprivate func with(
        _ value: Record.Value?, at names: ArraySlice<String>, of owner: String
    ) throws -> Record.Value {
        guard let name = names.first else { return value ?? .null }
        switch self {
        case .map(var fields):
            let rest = names.dropFirst()
            if rest.isEmpty {
                fields[name] = value
            } else {
                guard let inner = fields[name] else { throw UsageError("\(owner) is in '\(name)', which is missing") }
                fields[name] = try inner.with(value, at: rest, of: owner)
            }
            return .map(fields)
        case .location(let place):
            guard names.count == 1, ["latitude", "longitude"].contains(name), let number = value?.number else {
                throw UsageError("\(owner) is in a location: set 'latitude' or 'longitude' to a number")
            }
            do {
                return .location(
                    try Location(
                        latitude: name == "latitude" ? number : place.latitude,
                        longitude: name == "longitude" ? number : place.longitude))
            } catch {
                throw UsageError("\(owner) cannot be \(number): \(ErrorLine.text(of: error))")
            }
        default:
            throw UsageError("\(owner) is in a value of the kind \(kindWord), and a path leads into maps and locations")
        }
    }

    private var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
