// None of these functions is inlined: in the same function, Swift's optimizer (6.3.1) takes the class of the variable for
// that of the instance or of the metatype as soon as the type is opened, and a subclass is lost.

/// The class of an instance, whatever the type of the variable.
@inline(never)
func instanceType(of value: some RecordRepresentable) -> any RecordRepresentable.Type { type(of: value) }

@inline(never)
func instanceType(of value: some RecordEncodable) -> any RecordEncodable.Type { type(of: value) }

/// The class of a metatype, whatever the type of the variable.
@inline(never)
func actualType(_ type: (some RecordRepresentable).Type) -> any RecordRepresentable.Type { type }

@inline(never)
func actualType(_ type: (some Decodable).Type) -> any Decodable.Type { type }
