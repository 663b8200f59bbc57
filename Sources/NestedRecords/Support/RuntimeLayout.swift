// What the library knows of how Swift lays out values and describes types, and nothing else looks at. The standard library
// has no other way to it.
//
// Invariants: a value is only taken for one of another type where the comment says why both have the same bits. What the
// functions of the runtime give is copied before it is used.

// MARK: Bits of values

/// A value of a class as an object; only for types that are classes, whose values are one strong reference.
@inline(__always)
func instance<Value>(_ value: Value) -> AnyObject { unsafeBitCast(value, to: AnyObject.self) }

/// An object as a value of its class; only for objects that were made by ``instance(_:)`` of such a value.
@inline(__always)
func value<Value>(_ object: AnyObject, as _: Value.Type) -> Value { unsafeBitCast(object, to: Value.self) }

/// Whether two errors are one object: an error stays the same object when it is thrown again.
///
/// Errors are held in objects, and a value of the type `any Error` is one reference to that object.
func isSameError(_ left: any Error, _ right: any Error) -> Bool {
    // Without the casts it would be the errors in the objects that are passed on.
    unsafeBitCast(left as any Error, to: UnsafeRawPointer.self)
        == unsafeBitCast(right as any Error, to: UnsafeRawPointer.self)
}

/// The bytes of a value itself, without what they refer to, as numbers of eight bytes; the last one ends with zeros.
func words<Value>(of value: Value) -> [UInt64] {
    withUnsafeBytes(of: value) { bytes in
        var words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
        words.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
        return words
    }
}

extension String {
    /// Whether both have the same bits: short strings with the same bytes, and copies of one string.
    @inline(__always)
    func hasSameBits(as other: String) -> Bool {
        // The bits are only compared. A string is two words.
        guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
        return unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self)
    }
}

/// Coding keys that are one byte: the enumerations that the compiler makes, unless they have over 256 cases.
///
/// Such a key is known by its byte, without its string. Invariant: a byte is only made a key again for the type of
/// keys that it came from.
enum ByteKey {
    /// Whether values of this type are a single byte that holds no references.
    @inline(__always)
    static func fits<Key: CodingKey>(_: Key.Type) -> Bool {
        MemoryLayout<Key>.size <= 1 && _isPOD(Key.self)
    }

    /// The byte of a key; only for types that fit.
    @inline(__always)
    static func byte<Key: CodingKey>(of key: Key) -> UInt8 {
        // An enumeration with one case has no byte at all.
        MemoryLayout<Key>.size == 0 ? 0 : unsafeBitCast(key, to: UInt8.self)
    }

    /// The key whose byte this is.
    static func key<Key: CodingKey>(_: Key.Type, of byte: UInt8) -> Key {
        MemoryLayout<Key>.size == 0 ? unsafeBitCast((), to: Key.self) : unsafeBitCast(byte, to: Key.self)
    }
}

// MARK: Metadata of types

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

extension CodingKey {
    /// The name of the case that the key is; nil for keys that are no cases of an enumeration.
    ///
    /// The standard library uses the function to print enumerations.
    var caseName: String? { enumCaseName(self).map { String(cString: $0) } }
}

@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
