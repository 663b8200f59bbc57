final class FieldNames: Sendable {
    let list: NameList

    init?(_ list: NameList) {
        if list.names.isEmpty { return nil }
        self.list = list
    }

    convenience init?(_ names: [String]) { self.init(NameList(names)) }

    var names: [String] { list.names }

    func position(of name: String) -> Int? { list.position(of: name) }
}

extension FieldNames? {
    /// Changes the names, without a copy if the object is not shared.
    mutating func change(_ change: (inout NameList) -> Void) {
        var list = self?.list ?? NameList()
        // The last reference to the object is released, so that the names are unique and change in place.
        self = nil
        change(&list)
        self = FieldNames(list)
    }
}

struct NameList: Sendable {
    private(set) var names: [String]

    /// The position of each name, once there are too many for a linear search.
    private(set) var positions: [String: Int]?

    static let longestScan = 16

    init(_ names: [String] = []) { (self.names, positions) = (names, Self.positions(of: names)) }

    private static func positions(of names: [String]) -> [String: Int]? {
        guard names.count > longestScan else { return nil }
        return Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
    }

    func position(of name: String) -> Int? {
        if let positions { positions[name] } else { names.firstIndex(of: name) }
    }

    mutating func reserve(_ count: Int) { names.reserveCapacity(count) }

    mutating func append(_ name: String) {
        names.append(name)
        if positions != nil {
            positions?[name] = names.count - 1
        } else {
            positions = Self.positions(of: names)
        }
    }

    mutating func remove(at position: Int) {
        let name = names.remove(at: position)
        if position == names.count, names.count > Self.longestScan {
            positions?[name] = nil
        } else {
            positions = Self.positions(of: names)
        }
    }
}
