extension Record.ID {
    /// The beginning of the record types that the library keeps for itself.
    package static let reservedTypePrefix = "NestedRecords."

    /// The reason why a Swift type cannot have a record type; nil if it can.
    static func validationError(forModelType type: String) -> String? {
        isReserved(type: type)
            ? "record types that begin with '\(reservedTypePrefix)' are reserved" : validationError(forType: type)
    }

    /// Whether the library keeps the record for itself, such as the claim of a unique value.
    package var isReserved: Bool { Self.isReserved(type: type) }

    /// Whether the record is one of those that a database keeps of its assets.
    package var isOfAssets: Bool { type.utf8.starts(with: RecordAsset.contentRecordType.utf8) }

    package static func isReserved(type: String) -> Bool { type.utf8.starts(with: reservedTypePrefix.utf8) }
}
