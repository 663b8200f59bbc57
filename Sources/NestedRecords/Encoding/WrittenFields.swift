/// The names of the fields that a value has written so far.
///
/// While the keys follow the order of the type, their places in it identify the names. From the first other key on,
/// names are stored, and the keys are noted so that the order for the next value contains them.
struct WrittenFields: ~Copyable {
    /// The order that the keys have followed so far; nil where the names identify the fields.
    ///
    /// The encoder of the type holds it until the call ends.
    private var order: Borrowed<FieldOrder>?

    /// The places of the type of keys that was used last, which the order holds.
    private var keyPlaces: Borrowed<KeyPlaces>?
    private var keyType: ObjectIdentifier?
    private var places = GrowingList<UInt8>()
    private var lastPlace: Int16 = -1
    private var list = NameList()

    /// The additions to the order of the type; nil if no order exists or it contained all keys.
    private var learned: Learned?

    private var sharedNames: FieldNames?

    private struct Learned {
        var fields: [FieldOrder.Field]
        var ignored: Set<FieldOrder.Key> = []
        var isComplete = true
    }

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

    mutating func reuseMemory(of former: inout Self) {
        former.places.removeAll(keeping: FieldOrder.mostFields + 1)
        swap(&places, &former.places)
    }

    var isPredicted: Bool { learned == nil }
}

// MARK: Keys in order

extension WrittenFields {
    @inline(__always)
    mutating func use<Key: CodingKey>(_: Key.Type) {
        if keyType != ObjectIdentifier(Key.self), ByteKey.fits(Key.self), let order {
            keyPlaces = order.with { $0.places(of: Key.self) }
            keyType = ObjectIdentifier(Key.self)
        }
    }

    @inline(__always)
    private func number<Key: CodingKey>(of key: Key) -> Int16 {
        guard ByteKey.fits(Key.self), keyType == ObjectIdentifier(Key.self), let keyPlaces else {
            return KeyPlaces.unknown
        }
        return keyPlaces.with { $0[ByteKey.byte(of: key)] }
    }

    /// Whether a key comes next in the order; if so, a field for it is added.
    @inline(__always)
    mutating func advance<Key: CodingKey>(to key: Key) -> Bool { advance(to: number(of: key)) }

    @inline(__always)
    private mutating func advance(to place: Int16) -> Bool {
        guard place > lastPlace else { return false }
        lastPlace = place
        places.append(UInt8(truncatingIfNeeded: place))
        return true
    }

    /// Whether a key is ignored; nil if the order does not contain it.
    @inline(__always)
    func isIgnored<Key: CodingKey>(_ key: Key) -> Bool? {
        let number = number(of: key)
        return number == KeyPlaces.unknown ? nil : number == KeyPlaces.ignored
    }

    /// Whether a key with adjusted values comes next in the order; if so, a field for it is added.
    mutating func advance<Key: CodingKey>(toAdjusted key: Key) -> Bool {
        let number = number(of: key)
        return number < KeyPlaces.ignored && advance(to: KeyPlaces.place(ofAdjusted: number))
    }
}

// MARK: Other keys

extension WrittenFields {
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

    mutating func append(_ name: String) {
        list.append(name)
    }

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
    @inline(__always)
    func takeNames() -> FieldNames? {
        if let order { return order.with { $0.names(of: places) } }
        return sharedNames ?? FieldNames(list)
    }

    mutating func teach(_ orders: FieldOrders) {
        guard let learned, learned.isComplete else { return }
        sharedNames = orders.learn(learned.fields, ignored: learned.ignored)
    }
}
