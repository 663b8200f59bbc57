extension EncodingFrame {
    @inline(__always)
    func put<Key: CodingKey>(_ value: Record.Value, forKey key: Key) throws {
        if ByteKey.fits(Key.self), let node = shape,
            let target = node._withUnsafeGuaranteedRef({ $0.target(of: ShapeTree.keyID(of: key)) })
        {
            shape = target
            values.append(value)
        } else {
            try putUnpredicted(value, key)
        }
    }

    @inline(never)
    private func putUnpredicted<Key: CodingKey>(_ value: Record.Value, _ key: Key) throws {
        guard content != .closed else { throw closedError(value) }
        // A value that was refused has left its name.
        if let failure = session.failure { throw failure }
        switch try slot(for: key) {
        case .ignored: break
        case .new(let isAdjusted):
            values.append(isAdjusted ? try adjusted(value, key) : value)
        case .written(let position, let isAdjusted):
            let value = isAdjusted ? try adjusted(value, key) : value
            guard values[position] == value, childPositions[position] == nil else {
                throw writtenTwice(key)
            }
        }
    }

    /// Stores a property that is no ordinary field.
    func putOutcome(_ value: Record.Value, forKey key: some CodingKey) throws {
        let outcome = session.outcome
        session.outcome = .value
        switch outcome {
        case .value: try put(value, forKey: key)
        case .absent: try noteAbsent(key)
        case .embedded:
            let count = values.count
            try put(value, forKey: key)
            if values.count > count { flat.embedded.append(count) }
        }
    }

    /// Whether a key's value is left out.
    ///
    /// Asked only where encoding the value could do something.
    @inline(__always)
    func ignores(_ key: some CodingKey) -> Bool {
        guard let typeInfo, typeInfo._withUnsafeGuaranteedRef({ $0.hasIgnored }) else { return false }
        return typeInfo.takeUnretainedValue().ignored.contains(key.stringValue)
    }

    enum Slot {
        case ignored
        case new(isAdjusted: Bool)
        case written(at: Int, isAdjusted: Bool)
    }

    /// Where the value of a key belongs.
    ///
    /// A new slot's name is noted; its value must follow.
    func slot<Key: CodingKey>(for key: Key) throws -> Slot {
        let keyID = ByteKey.fits(Key.self) ? ShapeTree.keyID(of: key) : nil
        let node = shape?.takeUnretainedValue()
        if let node, let keyID, let slot = knownSlot(for: key, keyID, behind: node) { return slot }
        if ignores(key) {
            if let node, let keyID { session.shapes.addIgnored(from: node, by: keyID, call: session.call) }
            return .ignored
        }
        let isAdjusted = typeInfo?.takeUnretainedValue().adjusts(key) ?? false
        let name = fieldName(of: key)
        try claim(name, for: key)
        if name.isEmpty, recordID != nil {
            let reason = "a field's name must not be empty"
            throw session.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
        }
        if let position = position(of: name) { return .written(at: position, isAdjusted: isAdjusted) }
        if let node, let keyID,
            let target = session.shapes.add(
                name, isAdjusted: isAdjusted, from: node, by: keyID, call: session.call)
        {
            shape = Unmanaged.passUnretained(target)
        } else {
            leaveTree()
            append(name: name)
        }
        return .new(isAdjusted: isAdjusted)
    }

    /// Where the value of a key belongs that came behind a node before.
    private func knownSlot<Key: CodingKey>(
        for key: Key, _ keyID: ShapeTree.KeyID, behind node: ShapeNode
    ) -> Slot? {
        guard let edge = node.edges.firstIndex(where: { $0.key == keyID }) else { return nil }
        let target = node.edges[edge].target?.takeUnretainedValue()
        if node.edges[edge].call != session.call {
            // Keys are not renamed here: sessions that rename them serve one call.
            guard target.map({ $0.name.hasSameBytes(as: key.stringValue) && !ignores(key) }) ?? ignores(key) else {
                node.edges.remove(at: edge)
                return nil
            }
            node.edges[edge].call = session.call
        }
        guard let target else { return .ignored }
        session.shapes.predict(target, from: node, by: keyID)
        shape = Unmanaged.passUnretained(target)
        return .new(isAdjusted: target.isAdjusted)
    }

    private func position(of name: String) -> Int? {
        if let shape { return shape.takeUnretainedValue().position(of: name) }
        if let positions { return positions[name] }
        return names.firstIndex(of: name)
    }

    private func leaveTree() {
        guard let node = shape?.takeUnretainedValue() else { return }
        (names, positions) = (node.names?.names ?? [], node.names?.positions)
        shape = nil
    }

    private func append(name: String) {
        names.append(name)
        if positions != nil {
            positions?[name] = names.count - 1
        } else {
            positions = NameList.positions(of: names)
        }
    }

    /// Writes an entry of a dictionary, whose keys are known to differ.
    @inline(__always)
    func putEntry(_ name: String, _ value: () throws -> Record.Value) rethrows {
        shape = nil
        append(name: name)
        values.append(try value())
    }

    /// The value of a property about whose values the record says more.
    func adjusted(_ value: Record.Value, _ key: any CodingKey) throws -> Record.Value {
        guard let typeInfo = typeInfo?.takeUnretainedValue() else { return value }
        let value = typeInfo.locations.contains(key.stringValue) ? try location(value, key) : value
        return typeInfo.cascading.contains(key.stringValue) ? try cascading(value, key) : value
    }

    /// A value whose references take the record with them.
    private func cascading(_ value: Record.Value, _ key: any CodingKey) throws -> Record.Value {
        if case .null = value { return value }
        guard value.mayHoldReferences else {
            throw invalid(value, key, "a cascading property must hold references, not \(value.kind)")
        }
        return value.mapLeaves { leaf in
            guard case .reference(var reference) = leaf else { return leaf }
            reference.action = .deleteSelf
            return .reference(reference)
        }
    }

    /// The string of a location property, or its list of strings, as locations.
    private func location(_ value: Record.Value, _ key: any CodingKey) throws -> Record.Value {
        switch value {
        case .null, .location:
            return value
        case .string(let text):
            let location: Location
            do { location = try Location(text) } catch { throw invalid(text, key, "\(error)") }
            guard location.description == text else {
                throw invalid(text, key, "the location '\(text)' would read back as '\(location)': write it so")
            }
            return .location(location)
        case .list(let texts):
            return .list(try texts.map { try self.location($0, key) })
        case .bool, .int, .double, .date, .bytes, .reference, .map, .serverTimestamp:
            throw invalid(value, key, "a location property must hold strings, not \(value.kind)")
        }
    }

    private func invalid(_ value: Any, _ key: any CodingKey, _ reason: String) -> any Error {
        // The field's name is taken, so there is no going on without the value.
        let context = EncodingError.Context(
            codingPath: codingPath + [key], debugDescription: reason + place(of: key).recordSuffix)
        return session.fail(EncodingError.invalidValue(value, context))
    }

    /// Notes a property that has no value, whose field another property must not take.
    @inline(__always)
    func noteAbsent(_ key: some CodingKey) throws {
        if session.flattens { noteAbsentField(key) }
        if session.options.keyStrategy.renames, !ignores(key) { try claim(fieldName(of: key), for: key) }
    }

    /// Makes sure that no other key of the same type has this name: it would read the wrong value.
    private func claim<Key: CodingKey>(_ name: String, for key: Key) throws {
        // Types of keys that are no enumeration serve several types, each with names of its own.
        guard session.options.keyStrategy.renames, ByteKey.fits(Key.self) else { return }
        let owner = session.claimedNames[ObjectIdentifier(Key.self), default: [:]][name]
        if let owner, owner != key.stringValue {
            let reason = "it and '\(owner)' give the same field '\(name)'"
            throw session.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
        }
        if owner == nil { session.claimedNames[ObjectIdentifier(Key.self), default: [:]][name] = key.stringValue }
    }

    func writtenTwice(_ key: any CodingKey) -> any Error {
        let reason = "two different values are written to the field of the key '\(key.stringValue)'"
        return session.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
    }
}
