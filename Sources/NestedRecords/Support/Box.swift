/// A value behind a reference: copies of what holds it are small, and share it.
package final class Box<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
