public import NestedRecords

/// A corner of stacked diamonds: every layer has two corners, each of which points to both corners of the next layer,
/// so that the number of paths doubles with each layer.
public final class Diamond: RecordCodable, Identifiable, Sendable {
    /// The name of the record.
    public let id: Int

    let left: Diamond?
    let right: Diamond?

    init(id: Int, left: Diamond?, right: Diamond?) {
        (self.id, self.left, self.right) = (id, left, right)
    }

    /// A root with this many layers below it.
    public static func layers(_ count: Int) -> Diamond {
        var (left, right) = (Diamond(id: 1, left: nil, right: nil), Diamond(id: 2, left: nil, right: nil))
        for layer in 1..<count {
            let below = (left, right)
            left = Diamond(id: 2 * layer + 1, left: below.0, right: below.1)
            right = Diamond(id: 2 * layer + 2, left: below.0, right: below.1)
        }
        return Diamond(id: 0, left: left, right: right)
    }
}
