/// The class of an instance, whatever the type of the variable.
///
/// Neither function is inlined: of `type(of:)` in the same function, Swift's optimizer (6.3.1) takes the class of the
/// variable for that of the instance as soon as the type is opened, and an instance of a subclass is lost.
@inline(never)
func instanceType(of value: some RecordRepresentable) -> any RecordRepresentable.Type { type(of: value) }

@inline(never)
func instanceType(of value: some RecordEncodable) -> any RecordEncodable.Type { type(of: value) }
