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

    /// The places of the keys, by their type.
    let places: [(keyType: ObjectIdentifier, places: KeyPlaces)]

    /// The names of the fields that were written together, by their places in the order.
    let shapes: [[UInt8]: FieldNames]

    /// The places of the keys of a type; the order holds them.
    func places<Key: CodingKey>(of _: Key.Type) -> Borrowed<KeyPlaces> {
        let keyType = ObjectIdentifier(Key.self)
        return Borrowed(places.first { $0.keyType == keyType }?.places ?? .empty)
    }

    /// The order with more sets of fields.
    init(_ order: FieldOrder, shapes: [[UInt8]: FieldNames]) {
        (fields, ignored, places) = (order.fields, order.ignored, order.places)
        self.shapes = shapes
    }

    init(fields: [Field] = [], ignored: Set<Key> = []) {
        self.fields = fields
        self.ignored = ignored
        shapes = [:]
        let types = Set(fields.map(\.key.type) + ignored.map(\.type))
        places = types.map { type in
            var numbers = ContiguousArray(repeating: KeyPlaces.unknown, count: 256)
            for (place, field) in fields.enumerated() where field.key.type == type {
                numbers[Int(field.key.byte)] = KeyPlaces.number(of: place, isAdjusted: field.isAdjusted)
            }
            for key in ignored where key.type == type { numbers[Int(key.byte)] = KeyPlaces.ignored }
            return (type, KeyPlaces(numbers))
        }
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

// MARK: Cache

extension FieldOrder {
    /// What calls have found out about types so far.
    static let known = TypeCache<FieldOrder>()
}
