import NestedRecords

/// The ways from records to the values of paths: through maps, lists of maps, and references.
///
/// The data decides what a path such as `reads.title` means: `reads` may be a map, a list of maps, or a reference.
struct PathRoutes: Sendable {
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
    }

    /// The maximum number of references in a filter, as in the library.
    static let mostReferences = 16

    /// The names of the records that fulfil conditions for which records are read.
    var referring: [ReadCondition: [Record.Value]] = [:]

    /// The names of the records that contain the text of a search, by type.
    var found: [String: [Record.Value]] = [:]

    /// The routes of each path, by type.
    private var routes: [String: [FieldPath: Set<Route>]] = [:]

    /// Adds the routes of a path in a record.
    mutating func note(_ path: FieldPath, in record: Record) {
        let found = path.ends(in: record).map(\.route)
        if !found.isEmpty { routes[record.id.type, default: [:]][path, default: []].formUnion(found) }
    }

    /// Whether a record of a type has the value of a path, or a reference on it.
    func hasRoute(of path: FieldPath, in type: String) -> Bool { routes[type]?[path] != nil }

    /// Whether a path leads only through maps in the records of a type.
    func isPlain(_ path: FieldPath, in type: String) -> Bool {
        !path.leadsBack && routes(of: path, in: type).allSatisfy(\.isPlain)
    }

    /// The types that references on a path lead to, by the names that are sought in them.
    func targets(of path: FieldPath, in type: String) -> [[String]: Set<String>] {
        routes[type]?[path]?.reduce(into: [:]) { targets, route in
            if let type = route.type { targets[route.rest, default: []].insert(type) }
        } ?? [:]
    }

    /// The routes that lead to values, in a fixed order.
    func routes(of path: FieldPath, in type: String) -> [Route] {
        (routes[type]?[path] ?? []).filter(leadsToValue).sorted { $0.order < $1.order }
    }

    /// Whether records on a route have a value.
    ///
    /// A path follows few references: see `NameCheck`.
    private func leadsToValue(_ route: Route) -> Bool {
        guard let type = route.type else { return true }
        return routes[type]?[FieldPath(route.rest)]?.contains(where: leadsToValue) ?? false
    }

    /// The filter for a condition on a path that leads through lists or references: the condition holds for any
    /// element, or any target.
    ///
    /// - Parameters:
    ///   - path: The path.
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

extension PathRoutes.Route {
    fileprivate var order: String { "\(lists) \(names) \(type ?? "") \(rest)" }
}

extension FieldPath {
    /// The values of this path in a record, and the references on it, each with its route.
    ///
    /// Without recursion: a path may have as many names as values are nested.
    func ends(in record: Record) -> [(route: PathRoutes.Route, value: Record.Value)] {
        var found: [(route: PathRoutes.Route, value: Record.Value)] = []
        guard let name = names.first else { return found }
        var open: [(value: Record.Value, position: Int, route: PathRoutes.Route)] = []
        if let value = record[name] { open.append((value, 0, PathRoutes.Route(names: [name]))) }
        while let (value, position, start) = open.popLast() {
            var route = start
            let rest = Array(names[(position + 1)...])
            guard let next = rest.first else {
                found.append((route, value))
                continue
            }
            if case .reference(let reference) = value {
                (route.type, route.rest) = (reference.id.type, rest)
                found.append((route, value))
                continue
            }
            switch value.contents {
            case .map(let map)?:
                guard let inner = map[next] else { continue }
                route.names.append(next)
                open.append((inner, position + 1, route))
            case .list(let values)?:
                // The last one is taken first.
                for value in values.reversed() {
                    if case .map(let map) = value, let inner = map[next] {
                        let lists = route.lists + [route.names]
                        open.append((inner, position + 1, PathRoutes.Route(lists: lists, names: [next])))
                    }
                    if case .reference = value { open.append((value, position, route)) }
                }
            case nil:
                // A location has parts.
                guard let place = try? Record(id: record.id, fields: ["place": value]),
                    let part = FieldPath(["place"] + rest).value(in: place)
                else { continue }
                route.names += rest
                found.append((route, part))
            }
        }
        return found
    }
}
