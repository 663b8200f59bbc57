/// A type whose parts reflection does not show: it holds state that `Mirror` cannot read.
protocol Opaque: CustomReflectable {}

extension Opaque {
    /// No children.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
