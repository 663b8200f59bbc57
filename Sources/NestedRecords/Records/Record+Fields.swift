extension Record {
    /// Values by name, in the order in which they were written.
    ///
    /// Fields have the subscript of a dictionary and the positions of an array. Equality ignores the order, printing
    /// keeps it. Records that were encoded from one type share their names. Looking up a name takes a few comparisons,
    /// or one hash with more than 16 names.
    public struct Fields: Sendable {
        /// The names, which all records of one shape share; nil if there are none.
        ///
        /// A shared object for no names would be retained and released by all threads at once.
        private(set) var shape: FieldNames?

        var values: [Value]

        /// Makes empty fields.
        public init() {
            self.init(nil, values: [])
        }

        init(names: [String], values: [Value]) {
            self.init(FieldNames(names), values: values)
        }

        init(_ shape: FieldNames?, values: [Value]) {
            self.shape = shape
            self.values = values
        }

        /// Fields with the same names, which both share, and other values, as many as there are names.
        package func replacingValues(by values: [Value]) -> Self {
            values.count == count ? Self(shape, values: values) : Self(zip(names, values).map { ($0, $1) })
        }

        var names: [String] { shape?.names ?? [] }

        func position(of name: String) -> Int? { shape?.position(of: name) }

        /// The value of the field with this name, nil if there is none; setting nil removes the field.
        ///
        /// Removing a field other than the last takes time in proportion to the number of fields: use
        /// ``removeAll(where:)`` to remove several.
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

        mutating func append(_ name: String, _ value: Value) {
            shape.change { $0.append(name) }
            values.append(value)
        }

        /// Removes fields, in time proportional to the number of all fields.
        ///
        /// - Parameter isRemoved: Whether a field is removed.
        public mutating func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
            let fields = self
            let kept = try fields.indices.filter { try !isRemoved(fields[$0]) }
            // Records of one shape keep sharing their names.
            if kept.count == fields.count { return }
            let names = fields.names
            self = Record.Fields(names: kept.map { names[$0] }, values: kept.map { fields.values[$0] })
        }

        private mutating func remove(at position: Int) {
            shape.change { $0.remove(at: position) }
            values.remove(at: position)
        }
    }
}

extension Record.Fields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { 0 }

    /// The position after the last field.
    public var endIndex: Int { values.count }

    /// The name and value of the field at a position.
    public subscript(position: Int) -> (name: String, value: Record.Value) {
        (names[position], values[position])
    }
}

extension Record.Fields: Hashable {
    /// Returns whether both have the same names with equal values, in any order.
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
    /// Makes fields from a literal; the last value of a repeated name wins.
    public init(dictionaryLiteral elements: (String, Record.Value)...) { self.init(elements) }

    /// Makes fields from pairs of name and value; the last value of a repeated name wins.
    ///
    /// - Parameter pairs: Names and values in the order to keep.
    public init(_ pairs: some Sequence<(String, Record.Value)>) {
        var names = NameList()
        var values: [Record.Value] = []
        names.reserve(pairs.underestimatedCount)
        values.reserveCapacity(pairs.underestimatedCount)
        for (name, value) in pairs {
            if let position = names.position(of: name) {
                values[position] = value
            } else {
                names.append(name)
                values.append(value)
            }
        }
        self.init(FieldNames(names), values: values)
    }
}

// MARK: Numbers

// A number that no field value holds exactly, such as `UInt64.max` or a decimal number with 20 digits, is a map with
// its digits: `{$decimal: "18446744073709551615"}`. A list of numbers, a map or a string would be ambiguous with the
// data of other types.

extension Record.Value {
    @inline(never)
    package static func number(digits: String) -> Record.Value { .map([Record.Fields.decimalMark: .string(digits)]) }

    /// The digits of a number that no field value holds exactly; nil for other values.
    package var numberDigits: String? {
        guard case .map(let fields) = self, fields.areDecimal, case .string(let digits)? = fields.values.first
        else { return nil }
        return digits
    }
}

extension String {
    /// Whether this is a decimal number: a sign, digits with a full stop, an exponent.
    var isDecimalNumber: Bool {
        var rest = utf8[...]
        func skip(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func skipDigits() -> Int {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            return digits.count
        }
        _ = skip("+-")
        var count = skipDigits()
        if skip(".") { count += skipDigits() }
        guard count > 0 else { return false }
        if skip("eE") {
            _ = skip("+-")
            guard skipDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}

extension Record.Fields {
    /// The only field of a map that represents a number: its digits, as a string.
    ///
    /// Keyed containers and dictionaries do not read such a map, so a type that tries these first does not mistake it
    /// for one.
    static let decimalMark = "$decimal"

    @inline(__always)
    var areDecimal: Bool { count == 1 && names[0] == Self.decimalMark }
}
