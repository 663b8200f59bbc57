/// The reason why a property's value does not match the schema.
struct AdjustmentError: Error {
    let value: any Sendable
    let reason: String
}

extension Record.Value {
    func adjusted(
        isLocation: Bool, isCascading: Bool, normalize: (@Sendable (String) -> String)?
    ) throws(AdjustmentError) -> Record.Value {
        var value = self
        if isLocation { value = try value.asLocation() }
        if let normalize { value = try value.normalized(by: normalize) }
        return isCascading ? try value.asCascading() : value
    }

    /// The value with locations at paths that lead into maps, alone or in lists.
    ///
    /// - Parameter separator: The separator of the names of flattened fields; nil where values are not flattened.
    func adjusted(
        locationsAt paths: [[String]], separator: String?
    ) throws(AdjustmentError) -> Record.Value {
        var value = self
        for path in paths { value = try value.withLocations(at: path[...], separator) }
        return value
    }

    private func withLocations(
        at path: ArraySlice<String>, _ separator: String?
    ) throws(AdjustmentError) -> Record.Value {
        if path.isEmpty { return try asLocation() }
        switch contents {
        case .list(let values)?:
            var adjusted: [Record.Value] = []
            // Lists and their contents are not flattened.
            for value in values { adjusted.append(try value.withLocations(at: path, nil)) }
            return .list(adjusted)
        case .map(var fields)?:
            for count in 1...(separator == nil ? 1 : path.count) {
                let name = path.prefix(count).joined(separator: separator ?? "")
                if let value = fields[name] {
                    fields[name] = try value.withLocations(at: path.dropFirst(count), separator)
                }
            }
            return .map(fields)
        case nil:
            if kind == .null { return self }
            throw AdjustmentError(
                value: self, reason: "a path to a location must lead into embedded values, not \(found)")
        }
    }

    private func asCascading() throws(AdjustmentError) -> Record.Value {
        if kind == .null { return self }
        guard mayHoldReferences else {
            throw AdjustmentError(value: self, reason: "a cascading property must hold references, not \(found)")
        }
        return mapLeaves { leaf in
            guard case .reference(var reference) = leaf else { return leaf }
            reference.action = .deleteSelf
            return .reference(reference)
        }
    }

    private func normalized(by normalize: (String) -> String) throws(AdjustmentError) -> Record.Value {
        try mapLeaves {
            $0.kind == .list
        } _: { leaf throws(AdjustmentError) in
            if leaf.kind == .null { return leaf }
            guard case .string(let string) = leaf else {
                throw AdjustmentError(
                    value: leaf, reason: "a normalized property must hold strings, not \(leaf.found)")
            }
            return .string(normalize(string))
        }
    }

    private func asLocation() throws(AdjustmentError) -> Record.Value {
        try mapLeaves {
            $0.kind == .list
        } _: { leaf throws(AdjustmentError) in
            try leaf.stringAsLocation()
        }
    }

    private func stringAsLocation() throws(AdjustmentError) -> Record.Value {
        if kind == .null || kind == .location { return self }
        guard case .string(let string) = self else {
            throw AdjustmentError(value: self, reason: "a location property must hold strings, not \(found)")
        }
        let location: Location
        do { location = try Location(string) } catch { throw AdjustmentError(value: string, reason: "\(error)") }
        return location.description == string ? .location(location) : self
    }
}
