/// A value of a class as an object; only for types that are classes, whose values are one strong reference.
@inline(__always)
func instance<Value>(_ value: Value) -> AnyObject { unsafeBitCast(value, to: AnyObject.self) }
