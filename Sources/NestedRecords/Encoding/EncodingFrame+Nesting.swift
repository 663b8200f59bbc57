extension EncodingFrame {
    /// The nested frame for a key: a new one, or the one that an earlier call returned.
    func child(forKey key: some CodingKey, _ kind: Content) -> ValueEncoder {
        do {
            guard content != .closed, !isIgnored else { return makeChild(at: nil, key: key) }
            switch try slot(for: key) {
            case .ignored:
                let child = makeChild(at: nil, key: key)
                child.frame.isIgnored = true
                return child
            case .new(let isAdjusted):
                values.append(.null)
                return makeChild(at: values.count - 1, key: key, isAdjusted: isAdjusted)
            case .written(let position, _):
                let child = childPositions[position].map { children[$0] }
                if let child, kind != .undecided, child.encoder.frame.content == kind { return child.encoder }
                throw writtenTwice(key)
            }
        } catch {
            session.fail(error)
            return makeChild(at: nil, key: key)
        }
    }

    /// A nested frame at the end of the list.
    func appendChild() -> ValueEncoder {
        let key = PathKey(index: values.count)
        guard content == .list else { return makeChild(at: nil, key: key) }
        values.append(.null)
        return makeChild(at: values.count - 1, key: key)
    }

    /// The encoder that nested containers and super encoders of this frame write to.
    private func makeChild(at position: Int?, key: any CodingKey, isAdjusted: Bool = false) -> ValueEncoder {
        let child = EncodingFrame(session: session)
        child.parent = self
        child.keyInParent = key
        child.isDetached = true
        child.depth = depth + 1
        child.isIgnored = isIgnored
        child.isFlat = session.flattens && flattensProperties
        let encoder = ValueEncoder(frame: child)
        if content == .closed {
            child.close()
        } else if child.depth > session.options.maximumDepth {
            session.fail(RecordError.depthLimitExceeded(session.options.maximumDepth, context: child.place()))
            child.close()
        } else if let position, !isIgnored {
            childPositions[position] = children.count
            children.append(Child(position: position, encoder: encoder, adjustedKey: isAdjusted ? key : nil))
            return encoder
        }
        session.mayBeHeld = true
        return encoder
    }
}

// MARK: Finishing

extension EncodingFrame {
    /// All that was written, as the fields of a record.
    @inline(__always)
    func takeFields() -> Record.Fields {
        finishChildren()
        switch content {
        case .keyed, .dictionary: return takeNamedValues()
        case .list: return [RecordTypeInfo.singleValueField: takeOwnValue()]
        case .single: return values.isEmpty ? [:] : [RecordTypeInfo.singleValueField: takeOwnValue()]
        case .undecided, .closed: return [:]
        }
    }

    /// All that was written, as a value in a field.
    func takeValue() -> Record.Value {
        finishChildren()
        return takeOwnValue()
    }

    private func takeOwnValue() -> Record.Value {
        switch content {
        case .keyed, .dictionary:
            let fields = takeNamedValues()
            if fields.areDecimal { failAsDecimal() }
            return .map(fields)
        case .list: return .list(takeValues())
        case .single: return takeValues().first ?? .map([:])
        case .undecided, .closed: return .map([:])
        }
    }

    /// Refuses a value whose map would be read as a decimal number.
    @inline(never)
    private func failAsDecimal() {
        let key = PathKey(stringValue: Record.Fields.decimalMark)
        let reason = "a map with this name alone is a decimal number"
        session.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
    }

    @inline(__always)
    private func takeValues() -> [Record.Value] { values.take(keeping: Self.mostKeptValues) }

    @inline(__always)
    private func takeNamedValues() -> Record.Fields {
        let fields = takeFieldsAsWritten()
        return flat.isEmpty ? fields : flattened(fields)
    }

    @inline(__always)
    private func takeFieldsAsWritten() -> Record.Fields {
        guard let shape else {
            return Record.Fields(FieldNames(NameList(names, positions: positions)), values: takeValues())
        }
        return shape._withUnsafeGuaranteedRef { Record.Fields($0.names, values: takeValues()) }
    }

    /// Puts the values of the nested levels in their places.
    @inline(__always)
    private func finishChildren() {
        if !children.isEmpty { finishDescendants() }
    }

    private func finishDescendants() {
        for frame in descendants.reversed() { frame.takeChildren() }
        takeChildren()
    }

    private func takeChildren() {
        for position in children.indices {
            detachIfHeld(childAt: position)
            let child = children[position]
            let value = child.encoder.frame.takeOwnValue()
            if child.encoder.frame.isEmbedded(as: value) { flat.embedded.append(child.position) }
            child.encoder.frame.close()
            do {
                values[child.position] = try child.adjustedKey.map { try adjusted(value, $0) } ?? value
            } catch {
                session.fail(error)
            }
        }
        children = []
        childPositions = [:]
    }
}
