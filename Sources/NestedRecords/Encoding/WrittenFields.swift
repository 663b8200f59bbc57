/// The names of the fields that a value has written so far.
///
/// As long as the keys come in the order of the layout, their places in it stand for the names. From the first key on
/// that does not, there are names, and the keys are noted so that the next value of the type finds them in the order.
struct WrittenFields: ~Copyable {
    /// The order that the keys have followed so far; nil where names stand for the fields.
    ///
    /// Whoever encodes the type holds it until the call ends.
    private var layout: Borrowed<FieldLayout>?

    /// The places of the type of keys that was used last, which the layout holds.
    private var keyPlaces: Borrowed<KeyPlaces>?
    private var keyType: ObjectIdentifier?

    /// The places of the fields, and the last of them.
    private var places = GrowingList<UInt8>()
    private var lastPlace: Int16 = -1

    private var list = NameList()

    /// What the layout of the type did not know, nil where there is no layout or it knew everything.
    private var learned: Learned?

    /// The names that the layouts share, once they were told what they did not know.
    private var sharedNames: FieldNames?

    private struct Learned {
        var fields: [FieldOrder.Field]
        var ignored: Set<FieldOrder.Key> = []

        /// Whether all keys can be in an order.
        var isComplete = true
    }

    /// Begins another value.
    @inline(__always)
    mutating func begin(_ layout: Borrowed<FieldLayout>?) {
        if self.layout?.isSame(as: layout) ?? false {
            lastPlace = -1
            places.removeAll(keeping: FieldOrder.mostFields + 1)
        } else {
            beginAnew(layout)
        }
    }

    private mutating func beginAnew(_ layout: Borrowed<FieldLayout>?) {
        self.layout = layout
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

    /// Whether the layout knew everything.
    var isPredicted: Bool { learned == nil }

    var last: String? { list.names.last }
}

// MARK: Keys in order

extension WrittenFields {
    /// The layout in which a type of keys is to be looked for; nil where it was used last, or cannot be in one.
    @inline(__always)
    func layout<Key: CodingKey>(toFind _: Key.Type) -> Borrowed<FieldLayout>? {
        keyType != ObjectIdentifier(Key.self) && ByteKey.fits(Key.self) ? layout : nil
    }

    /// Makes a type of keys, with its places in the layout, the one that is looked for first.
    mutating func use<Key: CodingKey>(_: Key.Type, _ keyPlaces: Borrowed<KeyPlaces>) {
        self.keyPlaces = keyPlaces
        keyType = ObjectIdentifier(Key.self)
    }

    /// The number of a key in the layout.
    @inline(__always)
    private func number<Key: CodingKey>(of key: Key) -> Int16 {
        guard ByteKey.fits(Key.self), keyType == ObjectIdentifier(Key.self), let keyPlaces else {
            return KeyPlaces.unknown
        }
        return keyPlaces.with { $0[ByteKey.byte(of: key)] }
    }

    /// Whether a key is the next in the order, and a field for it was added.
    @inline(__always)
    mutating func advance<Key: CodingKey>(to key: Key) -> Bool {
        let place = number(of: key)
        guard place > lastPlace else { return false }
        lastPlace = place
        places.append(UInt8(truncatingIfNeeded: place))
        return true
    }

    /// Whether a key is ignored, nil where the layout does not know it.
    @inline(__always)
    func isIgnored<Key: CodingKey>(_ key: Key) -> Bool? {
        let number = number(of: key)
        return number == KeyPlaces.unknown ? nil : number == KeyPlaces.ignored
    }

    /// Whether a key whose values are adjusted is the next in the order, and a field for it was added.
    mutating func advance<Key: CodingKey>(toAdjusted key: Key) -> Bool {
        let number = number(of: key)
        guard number < KeyPlaces.ignored else { return false }
        let place = KeyPlaces.place(ofAdjusted: number)
        guard place > lastPlace else { return false }
        lastPlace = place
        places.append(UInt8(truncatingIfNeeded: place))
        return true
    }
}

// MARK: Other keys

extension WrittenFields {
    /// The position of a field, nil if it was not written.
    func position(of name: String) -> Int? {
        if let layout {
            let fields = layout.object.order.fields
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

    /// Adds a field of a value without a layout.
    mutating func append(_ name: String) {
        list.append(name)
    }

    /// Notes a key that the layout does not know to be ignored.
    mutating func noteIgnored<Key: CodingKey>(_ key: Key) {
        guard ByteKey.fits(Key.self), layout != nil || learned != nil else { return }
        leaveOrder()
        learned?.ignored.insert(.init(key))
    }

    private mutating func leaveOrder() {
        guard let layout = layout?.object else { return }
        self.layout = nil
        (keyPlaces, keyType) = (nil, nil)
        var fields: [FieldOrder.Field] = []
        for position in 0..<places.count { fields.append(layout.order.fields[Int(places[position])]) }
        list = NameList(fields.map(\.name))
        learned = Learned(fields: fields)
    }
}

// MARK: The end

extension WrittenFields {
    /// The names of all fields.
    @inline(__always)
    func takeNames() -> FieldNames? {
        if let layout { return layout.with { $0.names(of: places) } }
        return sharedNames ?? FieldNames(list)
    }

    /// Tells the layouts of the type what the one that was followed did not know.
    mutating func teach(_ layouts: FieldLayouts) {
        guard let learned else { return }
        guard learned.isComplete else { return }
        layouts.learn(learned.fields, ignored: learned.ignored)
        sharedNames = layouts.state.current.names(of: learned.fields)
    }
}
