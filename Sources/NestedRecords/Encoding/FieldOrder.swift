/// The order in which values of a type write their fields.
///
/// Values of one type mostly write the same keys in the same order, but not every key each time. If a key comes after
/// the last one in this order, its field is stored without looking at the name: the names follow from the written keys,
/// and all records with the same names share one object with them.
///
/// The fields of an order are constant: an order with more keys replaces it (``FieldOrders``). An order learns the sets
/// of fields that are written together.
final class FieldOrder: UncheckedObject<FieldOrder.Shapes> {
    struct Key: Hashable {
        let type: ObjectIdentifier
        let byte: UInt8

        init<Source: CodingKey>(_ key: Source) {
            type = ObjectIdentifier(Source.self)
            byte = ByteKey.byte(of: key)
        }
    }

    struct Field {
        let key: Key
        let name: String
        let isAdjusted: Bool

        func isSame(as other: Self) -> Bool {
            key == other.key && name.hasSameBytes(as: other.name) && isAdjusted == other.isAdjusted
        }
    }

    static let mostFields = 255

    /// More sets of fields only occur if the combinations of keys keep changing.
    private static let mostShapes = 64

    struct Shapes {
        fileprivate var known: [(places: [UInt8], names: FieldNames?)] = []

        /// By the hashes of the places: values often leave out other fields than the value before.
        fileprivate var index = RecordIndex.empty
        fileprivate var lastPlaces: [UInt8] = []
        fileprivate var lastNames: FieldNames?
    }

    let fields: [Field]
    let ignored: Set<Key>
    let places: [(keyType: ObjectIdentifier, places: KeyPlaces)]

    func places<Key: CodingKey>(of _: Key.Type) -> Borrowed<KeyPlaces> {
        let keyType = ObjectIdentifier(Key.self)
        return Borrowed(places.first { $0.keyType == keyType }?.places ?? .empty)
    }

    init(fields: [Field] = [], ignored: Set<Key> = []) {
        self.fields = fields
        self.ignored = ignored
        let types = Set(fields.map(\.key.type) + ignored.map(\.type))
        places = types.map { type in
            var numbers = ContiguousArray(repeating: KeyPlaces.unknown, count: 256)
            for (place, field) in fields.enumerated() where field.key.type == type {
                numbers[Int(field.key.byte)] = KeyPlaces.number(of: place, isAdjusted: field.isAdjusted)
            }
            for key in ignored where key.type == type { numbers[Int(key.byte)] = KeyPlaces.ignored }
            return (type, KeyPlaces(numbers))
        }
        super.init(Shapes())
    }

    func names(of places: borrowing GrowingList<UInt8>) -> FieldNames? {
        let count = places.count
        if state.lastPlaces.count == count {
            var position = 0
            while position < count, state.lastPlaces[position] == places[position] { position += 1 }
            if position == count, let last = state.lastNames { return last }
        }
        return places.withBytesInPlace { findNames(of: $0) }
    }

    private func findNames(of places: BytesInPlace) -> FieldNames? {
        let hash = RecordIndex.hash(of: places)
        let known = state.index.find(hash) { number in
            state.known[number].places.withBytesInPlace { $0.hasSameBytes(as: places) }
        }
        if let number = known {
            (state.lastPlaces, state.lastNames) = state.known[number]
            return state.lastNames
        }
        let names = FieldNames(places.map { fields[Int($0)].name })
        (state.lastPlaces, state.lastNames) = (Array(places), names)
        if state.known.count < Self.mostShapes {
            state.index.insert(hash, at: state.known.count)
            state.known.append((state.lastPlaces, names))
        }
        return names
    }

    /// The names of the written fields; nil if they are not in order.
    func names(of written: [Field]) -> FieldNames? {
        var places: [UInt8] = []
        var next = 0
        for field in written {
            guard let place = fields[next...].firstIndex(where: { $0.isSame(as: field) }) else { return nil }
            places.append(UInt8(truncatingIfNeeded: place))
            next = place + 1
        }
        return places.withBytesInPlace { findNames(of: $0) }
    }

    /// The order with additional keys that a value has written, each after the preceding key of the value.
    ///
    /// Nil if there are none or too many, or if two keys have one name.
    func adding(_ written: [Field], ignored newlyIgnored: Set<Key>) -> FieldOrder? {
        let isNew =
            !newlyIgnored.isSubset(of: ignored)
            || written.contains { field in !fields.contains { $0.key == field.key } }
        guard isNew else { return nil }
        var merged = fields
        var next = 0
        for field in written {
            if let known = merged.firstIndex(where: { $0.key == field.key }) {
                next = known + 1
            } else {
                merged.insert(field, at: next)
                next += 1
            }
        }
        // The code that writes fields distinguishes two keys with one name.
        guard merged.count <= Self.mostFields, Set(merged.map(\.name)).count == merged.count else { return nil }
        return FieldOrder(fields: merged, ignored: ignored.union(newlyIgnored))
    }
}

final class FieldOrders: UncheckedObject<FieldOrders.State> {
    struct State {
        fileprivate var current = FieldOrder()
        fileprivate var former: [FieldOrder] = []
    }

    init() { super.init(State()) }

    /// Types with more orders keep changing the order of their keys.
    private static let mostOrders = 300

    /// The order for the next value, which exists until the call ends.
    var current: Borrowed<FieldOrder> { Borrowed(state.current) }

    /// Adds the keys of a value that its order does not contain.
    ///
    /// - Returns: The names of the fields; nil if they are not in order.
    func learn(_ written: [FieldOrder.Field], ignored: Set<FieldOrder.Key>) -> FieldNames? {
        if state.former.count < Self.mostOrders, let longer = state.current.adding(written, ignored: ignored) {
            state.former.append(state.current)
            state.current = longer
        }
        return state.current.names(of: written)
    }

    func reset() { state.former = [] }
}

final class KeyPlaces: Sendable {
    /// The numbers of keys that are not in the order, and of ignored keys.
    ///
    /// Numbers from 0 on are places; numbers below these two belong to keys whose values are adjusted.
    static let unknown: Int16 = -1
    static let ignored: Int16 = -2
    private let numbers: ContiguousArray<Int16>
    static let empty = KeyPlaces(ContiguousArray(repeating: unknown, count: 256))

    fileprivate init(_ numbers: ContiguousArray<Int16>) {
        self.numbers = numbers
    }

    fileprivate static func number(of place: Int, isAdjusted: Bool) -> Int16 {
        isAdjusted ? ignored - 1 - Int16(place) : Int16(place)
    }

    static func place(ofAdjusted number: Int16) -> Int16 { ignored - 1 - number }

    subscript(byte: UInt8) -> Int16 { numbers[Int(byte)] }
}
