/// A type that has no children in its mirror: `dump` prints its description alone.
package protocol ChildlessReflectable: CustomReflectable {}

extension ChildlessReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
