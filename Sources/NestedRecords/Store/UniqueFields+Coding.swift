extension UniqueFields {
    /// The fields of all types that were used so far; nil if there are none.
    init?(_ naming: FieldNaming) {
        let properties = RecordTypeInfo.uniquePropertiesByType
        if properties.isEmpty { return nil }
        self.init(properties, naming)
    }

    /// The unique fields of types.
    ///
    /// - Throws: `RecordError.Code.invalidSchema` for schemas that are not valid.
    package init(of types: [any RecordRepresentable.Type], _ coding: RecordCoding) throws {
        for type in types { if let fault = RecordTypeInfo.info(of: type).schemaFault { throw fault } }
        let properties = types.map(RecordTypeInfo.uniqueProperties).filter { !$0.value.isEmpty }
        self.init(Dictionary(properties, uniquingKeysWith: { $0.union($1) }), coding.fieldNaming)
    }

    /// - Parameter properties: The unique properties, by record type.
    init(_ properties: [String: Set<String>], _ naming: FieldNaming) {
        self.init(
            fieldsByType: properties.mapValues { $0.sorted().map { naming.keyStrategy.fieldName(for: $0) } },
            separator: naming.separator)
    }
}
