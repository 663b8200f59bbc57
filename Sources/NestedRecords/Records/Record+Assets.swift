extension Record {
    /// The assets in the fields, those in lists and maps too, each with its place.
    func forEachAsset(_ body: (RecordAsset, RecordContext) throws -> Void) rethrows {
        guard fields.values.contains(where: \.mayHoldAssets) else { return }
        var walk = ReferenceWalk(fields)
        while walk.next() != nil {
            if let asset = walk.asset { try body(asset, RecordContext(id, walk)) }
        }
    }

    /// The assets in the fields, those in lists and maps too, in the order of the fields.
    public var assets: [RecordAsset] {
        var found: [RecordAsset] = []
        forEachAsset { asset, _ in found.append(asset) }
        return found
    }
}

extension Record.Value {
    fileprivate var mayHoldAssets: Bool { if case .asset = self { true } else { isCollection } }
}
