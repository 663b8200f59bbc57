// Nested values, without recursion: values may be nested more deeply than a stack holds.

extension Record.Value {
    /// The maximum nesting depth of lists and maps in a field.
    ///
    /// Releasing a level takes some 200 bytes of stack, and a small thread has 512 KiB.
    @_spi(Engines) public static let maximumNesting = 1_000

    package var isCollection: Bool { kind.nests }

    var elements: [Record.Value] { OpenCollection(self)?.values ?? [] }

    /// Whether the closure returns true for this value or one in it; it also gets the number of lists and maps around.
    package func contains(where isSought: (Self, _ depth: Int) -> Bool) -> Bool {
        if isSought(self, 0) { return true }
        guard isCollection else { return false }
        var open = [(collection: self, depth: 1)]
        while let (collection, depth) = open.popLast() {
            for value in collection.elements {
                if isSought(value, depth) { return true }
                if value.isCollection { open.append((value, depth + 1)) }
            }
        }
        return false
    }

    func isNested(deeperThan maximum: Int) -> Bool { contains { $0.isCollection && $1 >= maximum } }

    /// This value with each leaf, a value other than a list or a map, replaced by the result of the closure.
    ///
    /// - Parameters:
    ///   - isOpened: Whether the values in a collection are mapped; otherwise the closure is called with the
    ///     collection.
    ///   - transform: Gives the value for a leaf; nil leaves it out of its list or map.
    package func mapLeaves<Failure: Error>(
        where isOpened: (Self) -> Bool = \.isCollection, _ transform: (Self) throws(Failure) -> Self?
    ) throws(Failure) -> Self {
        guard isOpened(self), let first = Unfinished(self) else { return try transform(self) ?? self }
        var open = [first]
        while let last = open.indices.last {
            if let next = open[last].collection.takeNext() {
                if isOpened(next), let inner = Unfinished(next) {
                    open.append(inner)
                } else {
                    open[last].add(try transform(next))
                }
            } else {
                let value = open.removeLast().value
                if open.isEmpty { return value }
                open[last - 1].add(value)
            }
        }
        return self
    }

    private struct Unfinished {
        var collection: OpenCollection
        private var done: [Record.Value] = []
        private var omitted: Set<Int> = []

        init?(_ value: Record.Value) {
            guard let collection = OpenCollection(value) else { return nil }
            self.collection = collection
            done.reserveCapacity(collection.values.count)
        }

        mutating func add(_ value: Record.Value?) {
            if let value { done.append(value) } else { omitted.insert(collection.position - 1) }
        }

        var value: Record.Value {
            guard collection.isMap else { return .list(done) }
            guard let shape = collection.shape, !omitted.isEmpty else {
                return .map(Record.Fields(collection.shape, values: done))
            }
            let names = shape.names.indices.filter { !omitted.contains($0) }.map { shape.names[$0] }
            return .map(Record.Fields(names: names, values: done))
        }
    }
}

/// A list or a map, and the position of its next value: a walk keeps those that it is in.
struct OpenCollection {
    let shape: FieldNames?
    let isMap: Bool
    let values: [Record.Value]
    private(set) var position = 0

    init(_ fields: Record.Fields) { self.init(shape: fields.shape, isMap: true, values: fields.values) }

    private init(shape: FieldNames?, isMap: Bool, values: [Record.Value]) {
        (self.shape, self.isMap, self.values) = (shape, isMap, values)
    }

    init?(_ value: Record.Value) {
        switch value.contents {
        case .list(let values)?: self.init(shape: nil, isMap: false, values: values)
        case .map(let fields)?: self.init(fields)
        case nil: return nil
        }
    }

    var nextName: String? { position < values.count ? shape?.names[position] : nil }

    mutating func takeNext() -> Record.Value? {
        guard position < values.count else { return nil }
        position += 1
        return values[position - 1]
    }
}
