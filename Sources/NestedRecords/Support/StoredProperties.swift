/// A stored property, as the metadata for reflection has it.
struct StoredProperty {
    let name: String
    let type: Any.Type

    /// The stored properties of a type, those of superclasses among them; none where there is no metadata.
    ///
    /// The functions are those that `Mirror` uses. The standard library does not declare them for others, but they are
    /// in it on every platform, with these signatures since Swift 5.2.
    static func all(of type: Any.Type) -> [StoredProperty] {
        (0..<recursiveCount(type)).compactMap { index in
            var metadata = Metadata()
            let child = recursiveChild(type, index: index, metadata: &metadata)
            defer { metadata.free?(metadata.name) }
            return metadata.name.map { StoredProperty(name: String(cString: $0), type: child) }
        }
    }

    private struct Metadata {
        var name: UnsafePointer<CChar>?
        var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
        var isStrong = false
        var isVariable = false
    }

    @_silgen_name("swift_reflectionMirror_recursiveCount")
    private static func recursiveCount(_: Any.Type) -> Int

    @_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
    private static func recursiveChild(
        _: Any.Type, index: Int, metadata: UnsafeMutablePointer<Metadata>
    ) -> Any.Type
}
