import Foundation
import NestedRecords

/// The values of a document by their paths.
struct Survey {
    /// All values at one path.
    struct Place {
        let parent: Int?
        var step: PathStep

        /// The place of all values of which these are some objects, and the step that leaves these.
        var filter: (place: Int, step: PathStep)?

        /// Whether the objects have nothing besides a reference to another object.
        var isReference = false

        /// The number of steps in the path.
        let depth: Int

        /// The number of bytes in the path.
        var pathSize: Int

        /// The nodes of the objects.
        var objects: [UInt32] = []
        var lists = 0
        var scalars = 0
        var texts = 0

        /// The values where none is an object or a list.
        var values: [UInt32] = []

        /// Whether references name the entries by their keys.
        var isPointed = false

        /// Whether the members of the objects are entries: their keys are names.
        var isMap = false
        var areDates = true
        var areLocations = true

        /// The number of objects with each key.
        var keys: [UInt32: Int] = [:]

        /// Whether the values are in the root, or in one of its members.
        var isNearRoot: Bool { depth <= 2 }

        /// Whether the values are elements of lists, or entries of maps.
        var isCollection: Bool { step == .element || step == .entry }
    }

    let tree: JSONTree

    /// The pointers of the document, unless nothing is guessed.
    let pointers: Pointers?

    /// Whether objects may be maps; otherwise all keys are those of properties.
    private let findsMaps: Bool

    /// The types and identifiers of the objects with more than these.
    lazy var namedObjects = Self.namedObjects(in: tree)

    /// Whether the document has a context of linked data.
    let hasContext: Bool

    /// The models of fixtures whose names others have in other applications.
    var ambiguousModels: Set<String> = []

    /// The places, each after its parent.
    private(set) var places: [Place] = []

    /// Looks at all values, level by level.
    init(_ tree: JSONTree, findsMaps: Bool) {
        (self.tree, self.findsMaps) = (tree, findsMaps)
        hasContext = findsMaps && Self.hasContext(tree)
        pointers = findsMaps ? Pointers(in: tree) : nil
        var open = [(place: Int, nodes: [UInt32])]()
        places.append(Place(parent: nil, step: .key(""), depth: 0, pathSize: 0))
        open.append((0, [UInt32(tree.root)]))
        // Deeper values are kept as texts, whatever they are.
        var depth = 0
        while !open.isEmpty, depth <= MarkedTree.deepest {
            depth += 1
            var next: [(place: Int, nodes: [UInt32])] = []
            for (place, nodes) in open { note(nodes, at: place, &next) }
            open = next
        }
    }

    private mutating func note(_ nodes: [UInt32], at place: Int, _ next: inout [(place: Int, nodes: [UInt32])]) {
        var members: [UInt32: [UInt32]] = [:]
        var order: [UInt32] = []
        var (objects, elements, entries): ([UInt32], [UInt32], [UInt32]) = ([], [], [])
        for node in nodes {
            switch tree.kind(of: Int(node)) {
            case .object where tree.extendedValue(of: Int(node)) != nil, .bool, .number:
                places[place].scalars += 1
                (places[place].areDates, places[place].areLocations) = (false, false)
            case .object: objects.append(node)
            case .list:
                places[place].lists += 1
                for element in tree.children(of: Int(node)) { elements.append(UInt32(element)) }
            case .text:
                places[place].texts += 1
                noteText(Int(node), at: place)
            case .null: break
            }
        }
        if objects.isEmpty, places[place].lists == 0 { places[place].values = nodes }
        if findsMaps, places[place].filter == nil {
            var rest: [UInt32] = []
            for part in parts(of: objects, at: place) {
                guard let step = part.step else {
                    rest = part.objects
                    continue
                }
                var some = places[place]
                (some.filter, some.texts, some.lists, some.scalars) = ((place, step), 0, 0, 0)
                some.pathSize += 1 + step.text.utf8.count
                some.isReference = part.isReference
                places.append(some)
                if part.isReference {
                    places[places.count - 1].objects = part.objects
                } else {
                    note(part.objects, at: places.count - 1, &next)
                }
            }
            objects = rest
        }
        places[place].objects = objects
        for node in objects {
            for member in tree.children(of: Int(node)) where !tree.hasLongKey(member) {
                let key = tree.nodes[member].key
                if members[key] == nil { order.append(key) }
                members[key, default: []].append(UInt32(member))
            }
        }
        places[place].keys = members.mapValues(\.count)
        places[place].isReference =
            members.count == 1 && members.keys.allSatisfy { ["@id", "$id"].contains(tree.keys[Int($0)]) }
        let isPlural = key(of: place).map(TypeName.isPlural) ?? false
        let names = members.filter { !tree.keys[Int($0.key)].isMark }
        let isFields = key(of: place).map { ["fields", "attributes"].contains($0) } ?? false
        let isOuter = places[place].parent == nil || places[place].parent == 0
        let test = MapTest(
            tree: tree, objects: places[place].objects.count, isPlural: isPlural && !isFields,
            isOuter: isOuter && !isFields, members: names, key: places[place].isCollection ? nil : keyNumber(of: place),
            isInMap: parents(of: place).contains { places[$0].isMap && key(of: $0) == key(of: place) })
        let isPointed = arePointed(objects)
        if findsMaps, !arePropertiesOfASchema(place) && test.isMap || isPointed {
            places[place].isMap = true
            // An entry may be a map of entries itself.
            let entryKeys = names.filter { !arePointed($0.value) }
            for key in order { entries += entryKeys[key] ?? [] }
            order.removeAll { entryKeys[$0] != nil }
        }
        for key in order { add(.key(tree.keys[Int(key)]), to: place, members[key] ?? [], &next) }
        if !elements.isEmpty { add(.element, to: place, elements, &next) }
        if !entries.isEmpty {
            add(.entry, to: place, entries, &next)
            places[places.count - 1].isPointed = isPointed
        }
    }

    private mutating func add(
        _ step: PathStep, to parent: Int, _ nodes: [UInt32], _ next: inout [(place: Int, nodes: [UInt32])]
    ) {
        let (depth, size) = (places[parent].depth + 1, places[parent].pathSize + 1 + step.text.utf8.count)
        places.append(Place(parent: parent, step: step, depth: depth, pathSize: size))
        next.append((places.count - 1, nodes))
    }

    private mutating func noteText(_ node: Int, at place: Int) {
        // The shortest date and location have 20 and 7 bytes.
        guard places[place].areDates || places[place].areLocations else { return }
        let text = tree.text(of: node)
        if places[place].areDates {
            places[place].areDates =
                text.utf8.count >= 20
                && Date(recordString: text)?.recordString?.utf8.elementsEqual(text.utf8) ?? false
        }
        if places[place].areLocations {
            places[place].areLocations =
                text.utf8.contains(UInt8(ascii: ";"))
                && (try? Location(text))?.description.utf8.elementsEqual(text.utf8) ?? false
        }
    }

    /// The enclosing places, the nearest first.
    func parents(of place: Int) -> some Sequence<Int> {
        sequence(state: place) { next in
            guard let parent = places[next].parent else { return nil }
            next = parent
            return parent
        }
    }

    /// The path of a place.
    func path(of place: Int) -> String {
        var steps: [PathStep] = []
        var next = place
        while let parent = places[next].parent {
            let filter = places[next].filter
            steps.append(filter?.step ?? places[next].step)
            next = filter?.place ?? parent
        }
        return steps.reversed().map { "/" + $0.text }.joined()
    }

    /// The key that names the objects at a place: that of the enclosing list or map; nil for the root.
    func key(of place: Int) -> String? {
        var place = place
        while let parent = places[place].parent {
            if case .key(let key) = places[place].step { return key }
            place = parent
        }
        return nil
    }

    /// The number of that key.
    func keyNumber(of place: Int) -> UInt32? { key(of: place).flatMap(tree.key) }

    /// The objects at several places, as those of one place.
    func joined(_ joined: [Int]) -> Place {
        var result = places[joined[0]]
        for place in joined.dropFirst() {
            result.objects += places[place].objects
            result.keys.merge(places[place].keys, uniquingKeysWith: +)
            if places[place].isCollection, !result.isCollection { result.step = places[place].step }
        }
        return result
    }

    /// Whether all values at a place and at its parents are the only ones of their level.
    func isUnique(_ place: Int) -> Bool {
        var next: Int? = place
        while let place = next {
            guard places[place].objects.count == 1, places[place].lists == 0, !places[place].isMap else { return false }
            next = places[place].parent
        }
        return true
    }
}
