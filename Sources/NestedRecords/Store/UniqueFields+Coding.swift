extension UniqueFields {
    /// The fields of all types that were used so far; nil if there are none.
    init?(_ naming: FieldNaming) {
        let properties = RecordTypeInfo.uniquePropertiesByType
        if properties.isEmpty { return nil }
        self.init(properties, naming)
    }

    /// - Parameter properties: The unique properties, by record type.
    init(_ properties: [String: Set<String>], _ naming: FieldNaming) {
        self.init(
            fieldsByType: properties.mapValues { $0.sorted().map { naming.keyStrategy.fieldName(for: $0) } },
            separator: naming.separator)
    }
}
