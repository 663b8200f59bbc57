extension EncodingLevel {
    /// The nested level under a key, made or shared with those who asked before.
    func child(forKey key: some CodingKey, _ kind: Content) -> ValueEncoder {
        do {
            guard content != .closed else { return makeChild(at: nil, key: key) }
            switch try slot(for: key) {
            case .ignored:
                let child = makeChild(at: nil, key: key)
                child.level.isIgnored = true
                return child
            case .new:
                values.append(.null)
                return makeChild(at: values.count - 1, key: key)
            case .written(let position, _):
                let child = children.first { $0.position == position }
                if let child, kind != .undecided, child.encoder.level.content == kind { return child.encoder }
                throw writtenTwice(key)
            }
        } catch {
            session.fail(error)
            return makeChild(at: nil, key: key)
        }
    }

    /// A nested level at the end of the list.
    func appendChild() -> ValueEncoder {
        let key = PathKey(index: values.count)
        guard content == .list else { return makeChild(at: nil, key: key) }
        values.append(.null)
        return makeChild(at: values.count - 1, key: key)
    }

    /// The encoder that nested containers and super encoders of this level write to.
    func makeChild(at position: Int?, key: any CodingKey) -> ValueEncoder {
        let child = EncodingLevel(session: session)
        child.parent = self
        child.keyInParent = key
        child.depth = depth + 1
        child.isIgnored = isIgnored
        let encoder = ValueEncoder(level: child)
        if content == .closed {
            child.close()
        } else if child.depth > session.options.maximumDepth {
            session.fail(RecordError.depthLimitExceeded(session.options.maximumDepth, place: child.place()))
            child.close()
        } else if let position {
            children.append((position, encoder))
        }
        return encoder
    }
}

// MARK: Finishing

extension EncodingLevel {
    /// All that was written, as the fields of a record.
    @inline(__always)
    func takeFields() -> Record.Fields {
        finishChildren()
        var values: [Record.Value] = []
        swap(&values, &self.values)
        if content == .keyed || content == .dictionary {
            guard shape >= 0 else { return Record.Fields(names: names, values: values, positions: positions) }
            let (names, positions) = session.shapes.names(at: shape)
            return Record.Fields(names: names, values: values, positions: positions)
        }
        switch content {
        case .list: return [RecordFacts.singleValueField: .list(values)]
        case .single:
            guard let value = values.first else { return [:] }
            return [RecordFacts.singleValueField: value]
        case .undecided, .keyed, .dictionary, .closed: return [:]
        }
    }

    /// All that was written, as a value in a field.
    func takeValue() -> Record.Value {
        switch content {
        case .keyed, .dictionary, .undecided, .closed: return .map(takeFields())
        case .list:
            finishChildren()
            var values: [Record.Value] = []
            swap(&values, &self.values)
            return .list(values)
        case .single:
            finishChildren()
            defer { values.removeAll(keepingCapacity: true) }
            return values.first ?? .map([:])
        }
    }

    @inline(__always)
    private func finishChildren() {
        if children.isEmpty { return }
        for (position, encoder) in children {
            values[position] = encoder.level.takeValue()
            encoder.level.close()
        }
        children = []
    }
}
