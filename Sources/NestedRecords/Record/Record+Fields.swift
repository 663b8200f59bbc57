extension Record {
    /// Values by name, in the order in which they were written.
    ///
    /// Fields read like a dictionary and count like an array. Equality ignores the order, printing keeps it.
    /// Records that were encoded from one type share the storage of their names.
    /// Looking a name up takes a few comparisons, or one hash when there are more than 16 names.
    public struct Fields: Sendable {
        var names: [String]
        var values: [Value]

        /// Where each name stands, once there are too many to compare one after the other.
        var positions: [String: Int]?

        static let longestScan = 16

        /// No fields.
        public init() {
            self.init(names: [], values: [])
        }

        /// Fields whose names are known to differ.
        init(names: [String], values: [Value]) {
            self.init(names: names, values: values, positions: Self.positions(of: names))
        }

        init(names: [String], values: [Value], positions: [String: Int]?) {
            self.names = names
            self.values = values
            self.positions = positions
        }

        static func positions(of names: [String]) -> [String: Int]? {
            guard names.count > longestScan else { return nil }
            return Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
        }

        /// The position of the field with this name.
        func position(of name: String) -> Int? {
            if let positions { return positions[name] }
            return names.firstIndex(of: name)
        }

        /// The value of the field with this name, nil where there is none; setting nil removes the field.
        public subscript(name: String) -> Value? {
            get { position(of: name).map { values[$0] } }
            set {
                switch (position(of: name), newValue) {
                case (let position?, let value?): values[position] = value
                case (let position?, nil): remove(at: position)
                case (nil, let value?): append(name, value)
                case (nil, nil): break
                }
            }
        }

        /// Adds a field whose name is new.
        mutating func append(_ name: String, _ value: Value) {
            names.append(name)
            values.append(value)
            if positions != nil {
                positions?[name] = names.count - 1
            } else {
                positions = Self.positions(of: names)
            }
        }

        private mutating func remove(at position: Int) {
            names.remove(at: position)
            values.remove(at: position)
            positions = Self.positions(of: names)
        }
    }
}

extension Record.Fields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { 0 }

    /// The position behind the last field.
    public var endIndex: Int { values.count }

    /// The name and value of the field at a position.
    public subscript(position: Int) -> (name: String, value: Record.Value) {
        (names[position], values[position])
    }
}

extension Record.Fields: Hashable {
    /// Tells whether both have the same names with equal values, in whatever order.
    public static func == (left: Self, right: Self) -> Bool {
        right.values(inOrderOf: left).map { Record.Value.hasSameElements(left.values, $0) } ?? false
    }

    /// Feeds the fields to a hasher, independently of their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(sumOfHashes)
    }
}

extension Record.Fields: ExpressibleByDictionaryLiteral {
    /// Makes fields from a literal; where a name stands twice, the last value wins.
    public init(dictionaryLiteral elements: (String, Record.Value)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }

    /// Makes fields from pairs of name and value; where a name comes twice, the last value wins.
    ///
    /// - Parameter pairs: Names and values in the order to keep.
    public init(_ pairs: some Sequence<(String, Record.Value)>) {
        self.init()
        for (name, value) in pairs { self[name] = value }
    }
}

extension [String] {
    /// Where the texts stand: records of one shape share the storage of their names.
    @inline(__always)
    var storageAddress: UnsafeRawPointer? { withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) } }
}
