/// A class that holds a value: copies of a struct that stores a box are small, and share the value.
package final class Box<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
