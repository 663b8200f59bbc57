/// The reason why a property's value does not match the schema.
struct AdjustmentError: Error {
    let value: any Sendable
    let reason: String
}

extension Record.Value {
    func adjusted(isLocation: Bool, isCascading: Bool) throws(AdjustmentError) -> Record.Value {
        var value = self
        if isLocation { value = try value.asLocation() }
        return isCascading ? try value.asCascading() : value
    }

    private func asCascading() throws(AdjustmentError) -> Record.Value {
        if case .null = self { return self }
        guard mayHoldReferences else {
            throw AdjustmentError(value: self, reason: "a cascading property must hold references, not \(kind)")
        }
        return mapLeaves { leaf in
            guard case .reference(var reference) = leaf else { return leaf }
            reference.action = .deleteSelf
            return .reference(reference)
        }
    }

    private func asLocation() throws(AdjustmentError) -> Record.Value {
        try mapLeaves {
            if case .list = $0 { true } else { false }
        } _: { leaf throws(AdjustmentError) in
            try leaf.stringAsLocation()
        }
    }

    private func stringAsLocation() throws(AdjustmentError) -> Record.Value {
        switch self {
        case .null, .location:
            return self
        case .string(let string):
            let location: Location
            do { location = try Location(string) } catch { throw AdjustmentError(value: string, reason: "\(error)") }
            return location.description == string ? .location(location) : self
        case .bool, .int, .double, .date, .bytes, .reference, .list, .map, .serverTimestamp:
            throw AdjustmentError(value: self, reason: "a location property must hold strings, not \(kind)")
        }
    }
}
