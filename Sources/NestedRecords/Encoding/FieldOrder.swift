/// The order in which values of a type write their fields.
///
/// Values of one type mostly write the same keys in the same order, though not all of them each time. So a field whose
/// key comes behind the last one in this order is stored without its name being looked at: the names follow from the
/// keys that were written, and all records with the same names share one object with them.
///
/// An order does not change: what is known of a type may be shared by all calls.
final class FieldOrder: Sendable {
    /// A key that is one byte, with its type.
    struct Key: Hashable, Sendable {
        let type: ObjectIdentifier
        let byte: UInt8

        init<Source: CodingKey>(_ key: Source) {
            type = ObjectIdentifier(Source.self)
            byte = ByteKey.byte(of: key)
        }
    }

    /// A key with the name of its field.
    struct Field: Sendable {
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
    static let mostShapes = 64

    let fields: [Field]

    /// The keys that are not stored.
    let ignored: Set<Key>

    /// The names of the fields that were written together, by their places in the order.
    let shapes: [[UInt8]: FieldNames]

    init(fields: [Field] = [], ignored: Set<Key> = [], shapes: [[UInt8]: FieldNames] = [:]) {
        self.fields = fields
        self.ignored = ignored
        self.shapes = shapes
    }

    /// The order with the keys that a value has written besides, each behind the one that came before it.
    ///
    /// Nil where there are too many, or where two keys have one name.
    func adding(_ written: [Field], ignored newlyIgnored: Set<Key>) -> FieldOrder? {
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
        // The places of fields are other ones now, so the shapes are found anew.
        return FieldOrder(fields: merged, ignored: ignored.union(newlyIgnored))
    }
}

// MARK: Cache

extension FieldOrder {
    private static let cache = Lock<[ObjectIdentifier: FieldOrder]>([:])

    /// What calls have found out about a type so far.
    static func known(of type: Any.Type) -> FieldOrder? { cache.withLock { $0[ObjectIdentifier(type)] } }

    /// Keeps what a call has found out about a type.
    func keep(for type: Any.Type) { Self.cache.withLock { $0[ObjectIdentifier(type)] = self } }
}
