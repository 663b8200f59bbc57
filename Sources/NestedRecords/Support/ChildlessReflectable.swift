/// A type that has no children in its mirror: `dump` prints its description alone.
public protocol ChildlessReflectable: CustomReflectable {}

extension ChildlessReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
