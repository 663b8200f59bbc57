/// The fields of a value where they are stored, without being held.
///
/// Retaining them takes longer than reading them. The owner keeps the storage valid: a frame's fields
/// belong to a record of its session or to the frame itself, neither changes while a value is open, and the storage of
/// an array does not move as long as the array is not changed. Positions are checked.
struct FieldsInPlace {
    private let start: UnsafePointer<Record.Value>?
    private let count: Int

    /// Records of one shape share the object with their names, so its identity is the identity of the shape.
    let shape: ObjectIdentifier?

    /// No fields.
    init() {
        start = nil
        count = 0
        shape = nil
    }

    /// The fields of a value that stays.
    @inline(__always)
    init(_ fields: borrowing Record.Fields) {
        start = fields.values.withUnsafeBufferPointer { $0.baseAddress }
        count = fields.values.count
        shape = fields.shape.map(ObjectIdentifier.init)
    }

    /// The value of the field at a position.
    @inline(__always)
    subscript(position: Int) -> UnsafePointer<Record.Value> {
        guard position >= 0, position < count, let start else { preconditionFailure("position out of range") }
        return start + position
    }
}
