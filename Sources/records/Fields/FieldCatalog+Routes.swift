import NestedRecords

extension FieldCatalog {
    /// A way from a record to a value, or to a reference to a record that has the value.
    struct Route: Hashable {
        /// The lists on the way, each as the names from the record or from the element of the list before.
        var lists: [[String]] = []

        /// The names after the lists.
        var names: [String]

        /// The type that the reference at the names leads to; nil if the value is at the names.
        var type: String?

        /// The names in the record that the reference leads to.
        var rest: [String] = []

        /// Whether only maps are on the way, as in a path of the library.
        var isPlain: Bool { lists.isEmpty && type == nil }

        fileprivate var order: String { "\(lists) \(names) \(type ?? "") \(rest)" }
    }

    /// The maximum number of references in a filter, as in the library.
    static let mostReferences = 16

    /// Whether a path leads only through maps in the records of a type.
    func isPlain(_ path: FieldPath, in type: String) -> Bool {
        !path.leadsBack && routes(of: path, in: type).allSatisfy(\.isPlain)
    }

    /// The routes that lead to values, in a fixed order.
    func routes(of path: FieldPath, in type: String) -> [Route] {
        (routes[type]?[path] ?? []).filter(leadsToValue).sorted { $0.order < $1.order }
    }

    /// Whether records on a route have a value; a path follows few references.
    private func leadsToValue(_ route: Route) -> Bool {
        guard let type = route.type else { return true }
        return routes[type]?[FieldPath(route.rest)]?.contains(where: leadsToValue) ?? false
    }

    /// The filter for a condition on a path that leads through lists or references: the condition holds for any
    /// element, or any target.
    ///
    /// - Parameters:
    ///   - type: The type of the records; nil if unknown.
    ///   - condition: Makes the condition for a path from the last list or record on the way.
    /// - Returns: The filter; nil if the path leads only through maps.
    func filter(
        at path: FieldPath, in type: String?, _ condition: (FieldPath) throws -> RecordFilter
    ) throws -> RecordFilter? {
        var referenceCount = 0
        return try filter(at: path, in: type, &referenceCount, condition)
    }

    private func filter(
        at path: FieldPath, in type: String?, _ referenceCount: inout Int,
        _ condition: (FieldPath) throws -> RecordFilter
    ) throws -> RecordFilter? {
        guard let type, path.names.count > 1, case let found = routes(of: path, in: type),
            found.contains(where: { !$0.isPlain })
        else { return nil }
        var filters: [RecordFilter] = []
        for route in found {
            let here = FieldPath(route.names)
            var filter: RecordFilter
            if let type = route.type {
                referenceCount += 1
                guard referenceCount <= Self.mostReferences else {
                    throw UsageError(
                        "the path '\(path.filterText.shortened)' leads through references to more than "
                            + "\(Self.mostReferences) types: choose the types with 'refers to'")
                }
                let rest = FieldPath(route.rest)
                let operand = try self.filter(at: rest, in: type, &referenceCount, condition) ?? condition(rest)
                filter = .refers(here, to: type, where: operand)
            } else {
                filter = try condition(here)
                // A comparison with null would hold for the lists and references too, which have no value here.
                if route.isPlain { filter = .exists(here) && filter }
            }
            for list in route.lists.reversed() { filter = .hasElement(FieldPath(list), where: filter) }
            filters.append(filter)
        }
        return .any(filters)
    }
}
