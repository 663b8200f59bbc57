extension Record: CustomReflectable {
    /// No children: `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Record.Fields: CustomReflectable {
    /// No children: `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension RecordGraph: CustomReflectable {
    /// The records as the elements of a collection.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .collection) }
}
