extension Record {
    /// The field with the version of the type that wrote a record.
    ///
    /// No key gives a field this name.
    static let versionField = "$version"
}
