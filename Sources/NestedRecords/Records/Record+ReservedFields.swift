extension Record {
    /// The field with the version of the type that wrote a record.
    ///
    /// No key gives a field this name.
    static let versionField = "$version"

    /// The only field of a record whose type writes a list or a single value that is no map.
    ///
    /// No key gives a field this name.
    static let singleValueField = "$value"

    /// Whether no key of a record may give its field this name.
    static func isReserved(_ name: String) -> Bool {
        name.isEmpty || name == singleValueField || name == versionField
    }
}
