/// How ``RecordDatabase/update(_:named:options:isolation:_:)`` decodes, encodes and saves a value.
///
/// ```swift
/// var options = UpdateOptions()
/// options.deletesRemovedRecords = true
/// ```
public struct UpdateOptions: Sendable {
    /// How to decode the value.
    public var decoder: RecordDecoder

    /// How to encode the value; nil for an encoder that matches the decoder.
    public var encoder: RecordEncoder?

    /// What to do where the database holds another version.
    ///
    /// By default a record that is new in the value must not be there yet, or be there with the same fields.
    public var savePolicy: SavePolicy

    /// Whether to delete the records that the value no longer contains.
    ///
    /// Other records may still refer to them.
    public var deletesRemovedRecords: Bool

    /// How often to try at most; less than once is once.
    ///
    /// Before each attempt after the first there is a pause of a random length, at most 2 ms before the second; the
    /// maximum doubles with each attempt up to two seconds.
    public var maximumAttempts: Int

    /// Makes options.
    ///
    /// - Parameters:
    ///   - decoder: How to decode the value.
    ///   - encoder: How to encode the value; nil for an encoder that matches the decoder.
    ///   - savePolicy: What to do where the database holds another version.
    ///   - deletesRemovedRecords: Whether to delete the records that the value no longer contains.
    ///   - maximumAttempts: How often to try at most.
    public init(
        decoder: RecordDecoder = RecordDecoder(), encoder: RecordEncoder? = nil, savePolicy: SavePolicy = .ifUnchanged,
        deletesRemovedRecords: Bool = false, maximumAttempts: Int = 100
    ) {
        self.decoder = decoder
        self.encoder = encoder
        self.savePolicy = savePolicy
        self.deletesRemovedRecords = deletesRemovedRecords
        self.maximumAttempts = maximumAttempts
    }
}
