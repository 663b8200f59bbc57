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

    /// Where each name stands, once there are too many to compare one after the other.
    var positions: [String: Int]? { list.positions }
}

extension FieldNames? {
    /// Changes the names, without a copy where nobody else has the object.
    mutating func change(_ change: (inout NameList) -> Void) {
        var list = self?.list ?? NameList()
        // Gone with its last holder, the object leaves the names to this one.
        self = nil
        change(&list)
        self = FieldNames(list)
    }
}
