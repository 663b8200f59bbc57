/// The order in which values of a type write their fields.
///
/// Values of one type mostly write the same keys in the same order, though not all of them each time. So a field whose
/// key comes behind the last one in this order is stored without its name being looked at: the names follow from the
/// keys that were written, and all records with the same names share one object with them.
///
/// An order does not change: one with more keys takes its place (``FieldOrders``). It gets to know the sets of fields that
/// are written together.
final class FieldOrder: UncheckedObject<FieldOrder.Shapes> {
    /// A key that is one byte, with its type.
    struct Key: Hashable {
        let type: ObjectIdentifier
        let byte: UInt8

        init<Source: CodingKey>(_ key: Source) {
            type = ObjectIdentifier(Source.self)
            byte = ByteKey.byte(of: key)
        }
    }

    /// A key with the name of its field.
    struct Field {
        let key: Key
        let name: String

        /// Whether the values of the key are not stored as they are.
        let isAdjusted: Bool

        func isSame(as other: Self) -> Bool {
            key == other.key && name.hasSameBytes(as: other.name) && isAdjusted == other.isAdjusted
        }
    }

    /// More fields than this are stored by their names.
    static let mostFields = 255

    /// More different sets of fields than this come from keys in ever new combinations.
    private static let mostShapes = 64

    /// The names of fields that were written together, by their places in the order.
    struct Shapes {
        fileprivate var known: [[UInt8]: FieldNames] = [:]
        fileprivate var lastPlaces: [UInt8] = []
        fileprivate var lastNames: FieldNames?
    }

    let fields: [Field]

    /// The keys that are not stored.
    let ignored: Set<Key>

    /// The places of the keys, by their type.
    let places: [(keyType: ObjectIdentifier, places: KeyPlaces)]

    /// The places of the keys of a type; the order holds them.
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

    /// The names of the fields that were written, by their places.
    func names(of places: borrowing GrowingList<UInt8>) -> FieldNames? {
        let count = places.count
        if state.lastPlaces.count == count {
            var position = 0
            while position < count, state.lastPlaces[position] == places[position] { position += 1 }
            if position == count, let last = state.lastNames { return last }
        }
        var list: [UInt8] = []
        for position in 0..<count { list.append(places[position]) }
        return findNames(of: list)
    }

    private func findNames(of places: [UInt8]) -> FieldNames? {
        let known = state.known[places]
        let names = known ?? FieldNames(places.map { fields[Int($0)].name })
        if known == nil, state.known.count < Self.mostShapes { state.known[places] = names }
        (state.lastPlaces, state.lastNames) = (places, names)
        return names
    }

    /// The names of fields that were written; nil where they are not in order.
    func names(of written: [Field]) -> FieldNames? {
        var places: [UInt8] = []
        var next = 0
        for field in written {
            guard let place = fields[next...].firstIndex(where: { $0.isSame(as: field) }) else { return nil }
            places.append(UInt8(truncatingIfNeeded: place))
            next = place + 1
        }
        return findNames(of: places)
    }

    /// The order with the keys that a value has written besides, each behind the one that came before it.
    ///
    /// Nil where there are none or too many, or where two keys have one name.
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
        // Two keys with one name are told apart where they are written.
        guard merged.count <= Self.mostFields, Set(merged.map(\.name)).count == merged.count else { return nil }
        return FieldOrder(fields: merged, ignored: ignored.union(newlyIgnored))
    }
}

/// The order of a type's fields, and those that it has taken the place of in the present call.
final class FieldOrders: UncheckedObject<FieldOrders.State> {
    struct State {
        fileprivate var current = FieldOrder()

        /// Values that are open may use them.
        fileprivate var former: [FieldOrder] = []
    }

    init() { super.init(State()) }

    /// Types with more orders than this write their keys in ever new order.
    private static let mostOrders = 300

    /// The order for the next value, which stays until the call ends.
    var current: Borrowed<FieldOrder> { Borrowed(state.current) }

    /// Notes what a value has written that its order does not know.
    ///
    /// - Returns: The names of the fields, nil where they are not in order.
    func learn(_ written: [FieldOrder.Field], ignored: Set<FieldOrder.Key>) -> FieldNames? {
        if state.former.count < Self.mostOrders, let longer = state.current.adding(written, ignored: ignored) {
            state.former.append(state.current)
            state.current = longer
        }
        return state.current.names(of: written)
    }

    /// Ends the call.
    func reset() { state.former = [] }
}

/// The places of the keys of a type in a ``FieldOrder``, by their bytes.
final class KeyPlaces: Sendable {
    /// The number of a key that is not in the order, and that of an ignored one.
    ///
    /// Other numbers are places; below these are those of keys whose values are adjusted.
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

    /// The place of a key with a number below ``ignored``.
    static func place(ofAdjusted number: Int16) -> Int16 { ignored - 1 - number }

    subscript(byte: UInt8) -> Int16 { numbers[Int(byte)] }
}
