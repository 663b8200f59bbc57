import NestedRecords

extension FieldPath {
    /// The values of this path in a record, and the references on it, each with its route.
    ///
    /// Without recursion: a path may have as many names as values are nested.
    func ends(in record: Record) -> [(route: FieldCatalog.Route, value: Record.Value)] {
        var found: [(route: FieldCatalog.Route, value: Record.Value)] = []
        guard let name = names.first, let value = record[name] else { return found }
        var open = [(value: value, position: 0, route: FieldCatalog.Route(names: [name]))]
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
                        open.append((inner, position + 1, FieldCatalog.Route(lists: lists, names: [next])))
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

    /// Whether a step leads against references.
    ///
    /// An empty name, which no text of a path has, precedes the type of such a step.
    var leadsBack: Bool { names.contains("") }

    /// The parts of the path, divided before each step against references: the type of the step, and the names after it.
    var parts: [(type: String?, names: [String])] {
        var parts: [(type: String?, names: [String])] = [(nil, [])]
        var rest = names[...]
        while let name = rest.popFirst() {
            if name.isEmpty { parts.append((rest.popFirst(), [])) } else { parts[parts.count - 1].names.append(name) }
        }
        return parts
    }
}
