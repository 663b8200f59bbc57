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
    /// By default a record that is new in the value must be new in the database, or exist with the same fields.
    public var savePolicy: SavePolicy

    /// Whether to delete the records that the value no longer contains.
    ///
    /// Other records may still refer to them.
    public var deletesRemovedRecords: Bool

    /// The maximum number of attempts; less than one counts as one.
    ///
    /// A pause of a random length precedes each attempt after the first: at most 2 ms before the second attempt, and
    /// the maximum doubles with each attempt up to two seconds.
    public var maximumAttempts: Int

    /// Makes options.
    ///
    /// - Parameters:
    ///   - decoder: How to decode the value.
    ///   - encoder: How to encode the value; nil for an encoder that matches the decoder.
    ///   - savePolicy: What to do where the database holds another version.
    ///   - deletesRemovedRecords: Whether to delete the records that the value no longer contains.
    ///   - maximumAttempts: The maximum number of attempts.
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
