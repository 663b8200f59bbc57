/// The names of the fields that a value has written so far.
///
/// As long as the keys come in the order of the type, their places in it stand for the names. From the first key on
/// that does not, there are names, and the keys are noted so that the next value of the type finds them in the order.
struct WrittenFields: ~Copyable {
    /// The order that the keys have followed so far; nil where names stand for the fields.
    ///
    /// Whoever encodes the type holds it until the call ends.
    private var order: Borrowed<FieldOrder>?

    /// The places of the type of keys that was used last, which the order holds.
    private var keyPlaces: Borrowed<KeyPlaces>?
    private var keyType: ObjectIdentifier?

    /// The places of the fields, and the last of them.
    private var places = GrowingList<UInt8>()
    private var lastPlace: Int16 = -1

    private var list = NameList()

    /// What the order of the type did not know, nil where there is no order or it knew everything.
    private var learned: Learned?

    /// The names that the values of the type share, once its order has learned what it did not know.
    private var sharedNames: FieldNames?

    private struct Learned {
        var fields: [FieldOrder.Field]
        var ignored: Set<FieldOrder.Key> = []

        /// Whether all keys can be in an order.
        var isComplete = true
    }

    /// Begins another value.
    @inline(__always)
    mutating func begin(_ order: Borrowed<FieldOrder>?) {
        if self.order?.isSame(as: order) ?? false {
            lastPlace = -1
            places.removeAll(keeping: FieldOrder.mostFields + 1)
        } else {
            beginOther(order)
        }
    }

    private mutating func beginOther(_ order: Borrowed<FieldOrder>?) {
        self.order = order
        (keyPlaces, keyType, learned, sharedNames) = (nil, nil, nil, nil)
        list = NameList()
        lastPlace = -1
        places.removeAll(keeping: FieldOrder.mostFields + 1)
    }

    /// Takes the memory of fields that are not used any more.
    mutating func reuseMemory(of former: inout Self) {
        former.places.removeAll(keeping: FieldOrder.mostFields + 1)
        swap(&places, &former.places)
    }

    /// Whether the order knew everything.
    var isPredicted: Bool { learned == nil }
}

// MARK: Keys in order

extension WrittenFields {
    /// Makes a type of keys the one that is looked for first.
    @inline(__always)
    mutating func use<Key: CodingKey>(_: Key.Type) {
        if keyType != ObjectIdentifier(Key.self), ByteKey.fits(Key.self), let order {
            keyPlaces = order.with { $0.places(of: Key.self) }
            keyType = ObjectIdentifier(Key.self)
        }
    }

    /// The number of a key in the order.
    @inline(__always)
    private func number<Key: CodingKey>(of key: Key) -> Int16 {
        guard ByteKey.fits(Key.self), keyType == ObjectIdentifier(Key.self), let keyPlaces else {
            return KeyPlaces.unknown
        }
        return keyPlaces.with { $0[ByteKey.byte(of: key)] }
    }

    /// Whether a key is the next in the order, and a field for it was added.
    @inline(__always)
    mutating func advance<Key: CodingKey>(to key: Key) -> Bool { advance(to: number(of: key)) }

    @inline(__always)
    private mutating func advance(to place: Int16) -> Bool {
        guard place > lastPlace else { return false }
        lastPlace = place
        places.append(UInt8(truncatingIfNeeded: place))
        return true
    }

    /// Whether a key is ignored, nil where the order does not know it.
    @inline(__always)
    func isIgnored<Key: CodingKey>(_ key: Key) -> Bool? {
        let number = number(of: key)
        return number == KeyPlaces.unknown ? nil : number == KeyPlaces.ignored
    }

    /// Whether a key whose values are adjusted is the next in the order, and a field for it was added.
    mutating func advance<Key: CodingKey>(toAdjusted key: Key) -> Bool {
        let number = number(of: key)
        return number < KeyPlaces.ignored && advance(to: KeyPlaces.place(ofAdjusted: number))
    }
}

// MARK: Other keys

extension WrittenFields {
    /// The position of a field, nil if it was not written.
    func position(of name: String) -> Int? {
        if let order {
            let fields = order.object.fields
            return (0..<places.count).first { fields[Int(places[$0])].name == name }
        }
        return list.position(of: name)
    }

    /// Adds a field whose key does not come next in the order.
    mutating func append<Key: CodingKey>(_ name: String, _ key: Key, isAdjusted: Bool) {
        leaveOrder()
        append(name)
        if ByteKey.fits(Key.self) {
            learned?.fields.append(
                FieldOrder.Field(key: .init(key), name: name, isAdjusted: isAdjusted))
        } else {
            learned?.isComplete = false
        }
    }

    /// Adds a field of a value without a order.
    mutating func append(_ name: String) {
        list.append(name)
    }

    /// Notes a key that the order does not know to be ignored.
    mutating func noteIgnored<Key: CodingKey>(_ key: Key) {
        guard ByteKey.fits(Key.self), order != nil || learned != nil else { return }
        leaveOrder()
        learned?.ignored.insert(.init(key))
    }

    private mutating func leaveOrder() {
        guard let order = order?.object else { return }
        self.order = nil
        (keyPlaces, keyType) = (nil, nil)
        var fields: [FieldOrder.Field] = []
        for position in 0..<places.count { fields.append(order.fields[Int(places[position])]) }
        list = NameList(fields.map(\.name))
        learned = Learned(fields: fields)
    }
}

// MARK: The end

extension WrittenFields {
    /// The names of all fields.
    @inline(__always)
    func takeNames() -> FieldNames? {
        if let order { return order.with { $0.names(of: places) } }
        return sharedNames ?? FieldNames(list)
    }

    /// Tells the type what its order did not know.
    mutating func teach(_ orders: FieldOrders) {
        guard let learned, learned.isComplete else { return }
        sharedNames = orders.learn(learned.fields, ignored: learned.ignored)
    }
}
