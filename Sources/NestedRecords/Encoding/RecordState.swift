/// What is known of a record besides its fields.
struct RecordState {
    /// The class instance that the record was made of.
    ///
    /// Held, so that no other one gets its address.
    let instance: AnyObject?

    /// Whether all fields are known.
    var isDone = false
}

/// A value of a class as an object; only for types that are classes, whose values are one strong reference.
@inline(__always)
func instance<Value>(_ value: Value) -> AnyObject { unsafeBitCast(value, to: AnyObject.self) }
