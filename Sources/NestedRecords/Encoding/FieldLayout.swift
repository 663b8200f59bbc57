/// The order in which values of a type write their fields, as one call uses it.
///
/// Whoever encodes the type holds its layouts until the call ends.
final class FieldLayout: UncheckedObject<FieldLayout.State> {
    let order: FieldOrder

    struct State {
        /// The fields that were written last, and their names.
        fileprivate var lastPlaces: [UInt8] = []
        fileprivate var lastNames: FieldNames?
        fileprivate var shapes: [[UInt8]: FieldNames]

        fileprivate init(_ order: FieldOrder) {
            shapes = order.shapes
            if let (places, names) = shapes.first { (lastPlaces, lastNames) = (places, names) }
        }
    }

    init(_ order: FieldOrder) {
        self.order = order
        super.init(State(order))
    }

    /// The names of the fields that were written, by their places.
    func names(of places: borrowing GrowingList<UInt8>) -> FieldNames? {
        let count = places.count
        if state.lastPlaces.count == count {
            var position = 0
            while position < count, state.lastPlaces[position] == places[position] { position += 1 }
            if position == count { return state.lastNames }
        }
        return findNames(of: places)
    }

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
        return FieldOrder(order, shapes: state.shapes)
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
        super.init(State(current: FieldLayout(isShared ? FieldOrder.known[type] ?? FieldOrder() : FieldOrder())))
    }

    /// Forgets what belongs to one call.
    func reset() { state.former = [] }

    /// Takes over what other calls have found out.
    func begin() {
        guard isShared, let order = FieldOrder.known[type], order !== state.current.order else { return }
        state.current = FieldLayout(order)
    }

    /// The layout for the next value.
    ///
    /// It stays until the call ends.
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
        state.former.append(state.current)
        state.current = FieldLayout(order)
    }

    /// Keeps what was found out for other calls.
    func keep() {
        guard isShared, let order = state.current.extendedOrder ?? (state.former.isEmpty ? nil : state.current.order)
        else { return }
        FieldOrder.known.set(order, for: type)
    }
}
