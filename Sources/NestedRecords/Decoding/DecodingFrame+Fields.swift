extension DecodingFrame {
    /// The position of a key's field, nil if there is none.
    @inline(__always)
    func position<Key: CodingKey>(of key: Key) -> Int? {
        if hasSlots, ByteKey.fits(Key.self), slotKeyType == ObjectIdentifier(Key.self), let slots {
            let slot = slots._withUnsafeGuaranteedRef { $0[ByteKey.byte(of: key)] }
            if slot != SlotTable.unknown { return slot == SlotTable.absent ? nil : Int(slot) }
        }
        return findPosition(of: key)
    }

    @inline(never)
    private func findPosition<Key: CodingKey>(of key: Key) -> Int? {
        guard ByteKey.fits(Key.self), !hasData(as: Key.self), let slots = slotTable(for: Key.self) else {
            return lookUpPosition(of: key)
        }
        let byte = ByteKey.byte(of: key)
        if slots[byte] == SlotTable.unknown {
            let position = lookUpPosition(of: key, among: slots.names)
            guard let slot = Int16(exactly: position ?? Int(SlotTable.absent)) else { return position }
            slots[byte] = slot
        }
        return slots[byte] == SlotTable.absent ? nil : Int(slots[byte])
    }

    private func lookUpPosition(of key: some CodingKey) -> Int? {
        ignores(key) ? defaultPosition(of: key) : fields.position(of: fieldName(of: key))
    }

    private func lookUpPosition(of key: some CodingKey, among names: [String]) -> Int? {
        if names.count > NameList.longestScan { return lookUpPosition(of: key) }
        return ignores(key) ? defaultPosition(of: key) : names.firstIndex(of: fieldName(of: key))
    }

    /// The position of an ignored property's value, nil if it has none: below that of every field.
    private func defaultPosition(of key: some CodingKey) -> Int? {
        typeInfo?.takeUnretainedValue().defaults?.position(of: key.stringValue)
    }

    /// The field at a position, or an ignored property's value.
    @inline(__always)
    func field(at position: Int) -> UnsafePointer<Record.Value> {
        position < 0 ? defaultField(at: position) : storedFields[position]
    }

    @inline(never)
    private func defaultField(at position: Int) -> UnsafePointer<Record.Value> {
        guard let defaults = typeInfo?.takeUnretainedValue().defaults else {
            preconditionFailure("position out of range")
        }
        return defaults[position]
    }

    private func slotTable<Key: CodingKey>(for _: Key.Type) -> SlotTable? {
        let origin = SlotOrigin(
            keyType: ObjectIdentifier(Key.self), typeInfo: UnsafeRawPointer(typeInfo?.toOpaque()),
            shape: storedFields.shape)
        guard let table = session.slotTable(for: origin, names: { fields.shape }) else { return nil }
        keepSlots(table, origin)
        return table
    }

    func ignores(_ key: some CodingKey) -> Bool {
        guard let typeInfo, typeInfo._withUnsafeGuaranteedRef({ $0.hasIgnored }) else { return false }
        return typeInfo.takeUnretainedValue().ignored.contains(key.stringValue)
    }

    /// The position of a key's field.
    @inline(__always)
    func requiredPosition<Key: CodingKey>(of key: Key) throws -> Int {
        if let position = position(of: key) { return position }
        throw missingField(key)
    }

    @inline(never)
    func missingField(_ key: some CodingKey) -> any Error {
        let reason =
            ignores(key)
            ? "the property '\(key.stringValue)' is ignored, and 'ignoredProperties' has no value for it"
            : "there is no field '\(fieldName(of: key))'"
        let error = DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: reason))
        return session.placed(error, self)
    }

    /// The keys of a type that fields belong to.
    func keys<Key: CodingKey>(of _: Key.Type) -> [Key] {
        let defaults = typeInfo?.takeUnretainedValue().defaults?.names ?? []
        return storedKeys(of: Key.self) + defaults.compactMap(Key.init(stringValue:))
    }

    private func storedKeys<Key: CodingKey>(of _: Key.Type) -> [Key] {
        if hasData(as: Key.self) { return fields.names.compactMap(Key.init(stringValue:)).filter { !ignores($0) } }
        var seen: Set<String> = []
        return fields.names.compactMap { name in
            let key =
                isFlat
                ? session.fieldKeys.key(Key.self, forField: name)
                : session.options.keyStrategy.key(Key.self, forField: name)
            guard let key, !ignores(key), !isFlat || seen.insert(key.stringValue).inserted else { return nil }
            return key
        }
    }

    @inline(__always)
    func decodeScalar<Value: FieldScalar, Key: CodingKey>(_: Value.Type, forKey key: Key) throws -> Value {
        let field = field(at: try requiredPosition(of: key))
        if let value = Value.read(field.pointee) { return value }
        return try session.readLeniently(field.pointee, in: self, key)
    }

    @inline(__always)
    func decodeScalarIfPresent<Value: FieldScalar, Key: CodingKey>(_: Value.Type, forKey key: Key) throws -> Value? {
        guard let position = position(of: key) else { return nil }
        let field = field(at: position)
        if let value = Value.read(field.pointee) { return value }
        if case .null = field.pointee { return nil }
        return try session.readLeniently(field.pointee, in: self, key)
    }

    /// Makes this frame the parent of the value that is decoded next.
    @inline(__always)
    func decodingNested<Result>(_ body: () throws -> Result) rethrows -> Result {
        if !isDetached { return try body() }
        session.nestedParent = self
        defer { session.nestedParent = nil }
        return try body()
    }
}
