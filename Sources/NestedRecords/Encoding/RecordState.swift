/// What is known of a record besides its fields.
struct RecordState {
    /// The class instance that the record was made of.
    ///
    /// Held, so that no other instance gets its address.
    let instance: AnyObject?

    /// Whether all fields are known.
    var isDone = false
}
