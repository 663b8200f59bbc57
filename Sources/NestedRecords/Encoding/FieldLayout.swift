/// The order in which values of a type write their fields, as one call uses it.
///
/// Whoever encodes the type holds its layouts until the call ends.
final class FieldLayout: UncheckedObject<FieldLayout.State> {
    let order: FieldOrder

    struct State {
        /// The tables with the places of keys, by the type of the keys.
        fileprivate var tables: [(keyType: ObjectIdentifier, slots: KeySlots)] = []

        /// The fields that were written last, and their names.
        fileprivate var lastPlaces: [UInt8] = []
        fileprivate var lastNames: FieldNames?
        fileprivate var shapes: [[UInt8]: FieldNames]
    }

    /// The number of an ignored key. Numbers below it are those of keys whose values are adjusted.
    static let ignored: Int16 = -3

    init(_ order: FieldOrder) {
        self.order = order
        super.init(State(shapes: order.shapes))
    }

    /// The place of the field with a number that is below ``ignored``.
    static func place(ofAdjusted number: Int16) -> Int { Int(ignored - 1 - number) }

    /// The table of a type of keys; nil where keys have other fields than when the order was noted.
    ///
    /// - Parameter field: The field of a key, nil for one that is ignored.
    func slots<Key: CodingKey>(of _: Key.Type, field: (Key) -> FieldOrder.Field?) -> KeySlots? {
        let keyType = ObjectIdentifier(Key.self)
        if let known = state.tables.first(where: { $0.keyType == keyType }) { return known.slots }
        let slots = KeySlots()
        for (place, known) in order.fields.enumerated() where known.key.type == keyType {
            guard let found = field(ByteKey.key(Key.self, of: known.key.byte)), known.isSame(as: found) else {
                return nil
            }
            slots[known.key.byte] = known.isAdjusted ? Self.ignored - 1 - Int16(place) : Int16(place)
        }
        for ignored in order.ignored where ignored.type == keyType {
            if field(ByteKey.key(Key.self, of: ignored.byte)) != nil { return nil }
            slots[ignored.byte] = Self.ignored
        }
        state.tables.append((keyType, slots))
        return slots
    }

    /// The names of the fields that were written, by their places.
    @inline(__always)
    func names(of places: borrowing GrowingList<UInt8>) -> FieldNames? {
        let count = places.count
        if state.lastPlaces.count == count {
            var position = 0
            while position < count, state.lastPlaces[position] == places[position] { position += 1 }
            if position == count { return state.lastNames }
        }
        return findNames(of: places)
    }

    @inline(never)
    private func findNames(of places: borrowing GrowingList<UInt8>) -> FieldNames? {
        var list: [UInt8] = []
        for position in 0..<places.count { list.append(places[position]) }
        state.lastPlaces = list
        if let known = state.shapes[list] {
            state.lastNames = known
        } else {
            state.lastNames = FieldNames(list.map { order.fields[Int($0)].name })
            if state.shapes.count < FieldOrder.mostShapes { state.shapes[list] = state.lastNames }
        }
        return state.lastNames
    }

    /// The names of fields that were written; nil where they are not in order.
    func names(of fields: [FieldOrder.Field]) -> FieldNames? {
        var places = GrowingList<UInt8>()
        var next = 0
        for field in fields {
            guard let place = order.fields[next...].firstIndex(where: { $0.isSame(as: field) }) else { return nil }
            places.append(UInt8(truncatingIfNeeded: place))
            next = place + 1
        }
        return findNames(of: places)
    }

    /// The order with all sets of fields that were written, if there are more of them than before.
    var extendedOrder: FieldOrder? {
        guard state.shapes.count > order.shapes.count else { return nil }
        return FieldOrder(fields: order.fields, ignored: order.ignored, shapes: state.shapes)
    }
}

/// The layouts of a type in one call.
final class FieldLayouts: UncheckedObject<FieldLayouts.State> {
    private let type: Any.Type

    /// Whether other calls may use what this one finds out.
    private let isShared: Bool

    struct State {
        /// The layout for the next value.
        fileprivate(set) var current: FieldLayout

        /// The layouts before it: values that are open may use them.
        fileprivate var former: [FieldLayout] = []
    }

    init(of type: Any.Type, isShared: Bool) {
        self.type = type
        self.isShared = isShared
        super.init(State(current: FieldLayout(isShared ? FieldOrder.known(of: type) ?? FieldOrder() : FieldOrder())))
    }

    /// The layout for the next value. It stays until the call ends.
    @inline(__always)
    var current: Borrowed<FieldLayout> { Borrowed(state.current) }

    /// Types with more layouts than this write their keys in ever new order.
    private static let mostLayouts = 300

    /// Notes what a value has written that the current layout does not know.
    func learn(_ written: [FieldOrder.Field], ignored: Set<FieldOrder.Key>) {
        let order = state.current.order
        let isNew =
            !ignored.isSubset(of: order.ignored)
            || written.contains { field in !order.fields.contains { $0.key == field.key } }
        guard isNew, state.former.count < Self.mostLayouts, let order = order.adding(written, ignored: ignored)
        else { return }
        replace(with: order)
    }

    /// Forgets the order: its keys have other strings now.
    func forget() { replace(with: FieldOrder()) }

    private func replace(with order: FieldOrder) {
        state.former.append(state.current)
        state.current = FieldLayout(order)
    }

    /// Keeps what was found out for other calls.
    func keep() {
        guard isShared else { return }
        if let order = state.current.extendedOrder ?? (state.former.isEmpty ? nil : state.current.order) {
            order.keep(for: type)
        }
    }
}
