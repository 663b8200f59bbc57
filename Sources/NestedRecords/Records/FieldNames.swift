/// The names of fields, one at least: one object for all records of one shape.
final class FieldNames: Sendable {
    let list: NameList

    /// Nil if there are no names.
    init?(_ list: NameList) {
        if list.names.isEmpty { return nil }
        self.list = list
    }

    /// Names that are known to differ; nil if there are none.
    convenience init?(_ names: [String]) { self.init(NameList(names)) }

    var names: [String] { list.names }

    /// The position of each name, once there are too many for a linear search.
    var positions: [String: Int]? { list.positions }

    /// The position of a name.
    func position(of name: String) -> Int? { list.position(of: name) }
}

extension FieldNames? {
    /// Changes the names, without a copy if the object is not shared.
    mutating func change(_ change: (inout NameList) -> Void) {
        var list = self?.list ?? NameList()
        // With the last reference to the object released, the names are unique and change in place.
        self = nil
        change(&list)
        self = FieldNames(list)
    }
}
