/// Distinct names in an order, with the position of each.
struct NameList: Sendable {
    private(set) var names: [String]

    /// The position of each name, once there are too many for a linear search.
    private(set) var positions: [String: Int]?

    static let longestScan = 16

    /// Names that are known to differ.
    init(_ names: [String] = []) { self.init(names, positions: Self.positions(of: names)) }

    init(_ names: [String], positions: [String: Int]?) {
        self.names = names
        self.positions = positions
    }

    static func positions(of names: [String]) -> [String: Int]? {
        guard names.count > longestScan else { return nil }
        return Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
    }

    /// The position of a name.
    func position(of name: String) -> Int? {
        if let positions { return positions[name] }
        let known = ElementsInPlace(names)
        for position in 0..<known.count where known[position].value == name { return position }
        return nil
    }

    /// Makes room for a number of names.
    mutating func reserve(_ count: Int) { names.reserveCapacity(count) }

    /// Adds a name that is new.
    mutating func append(_ name: String) {
        names.append(name)
        if positions != nil {
            positions?[name] = names.count - 1
        } else {
            positions = Self.positions(of: names)
        }
    }

    /// Removes the name at a position.
    mutating func remove(at position: Int) {
        let name = names.remove(at: position)
        if position == names.count, names.count > Self.longestScan {
            positions?[name] = nil
        } else {
            positions = Self.positions(of: names)
        }
    }
}
