// All assumptions of the library about how Swift lays out values and describes types. The standard library has no
// public API for them.
//
// Invariants: a value is reinterpreted as another type only where a comment says why both have the same bits. Results
// of runtime functions are copied before use.

// MARK: Bits of values

/// A value of a class type as an object; only for class types, whose values are one strong reference.
@inline(__always)
func instance<Value>(_ value: Value) -> AnyObject { unsafeBitCast(value, to: AnyObject.self) }

/// An object as a value of its class; only for objects from ``instance(_:)`` of such a value.
@inline(__always)
func value<Value>(_ object: AnyObject, as _: Value.Type) -> Value { unsafeBitCast(object, to: Value.self) }

/// Whether two errors are one object: an error stays the same object when it is thrown again.
///
/// Errors are held in objects, and a value of the type `any Error` is one reference to that object.
func isSameError(_ left: any Error, _ right: any Error) -> Bool {
    // Without the casts, the errors inside the objects would be passed on.
    unsafeBitCast(left as any Error, to: UnsafeRawPointer.self)
        == unsafeBitCast(right as any Error, to: UnsafeRawPointer.self)
}

/// The bytes of a value, without the objects that it refers to, as 64-bit numbers; the last one is padded with zeros.
func words<Value>(of value: Value) -> [UInt64] {
    withUnsafeBytes(of: value) { bytes in
        var words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
        words.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
        return words
    }
}

extension String {
    /// Whether both have the same bits: true for short strings with the same bytes, and for copies of one string.
    @inline(__always)
    func hasSameBits(as other: String) -> Bool {
        // The bits are only compared. A string has two words.
        guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
        return unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self)
    }
}

/// Coding keys of one byte: the compiler's enumerations with at most 256 cases.
///
/// The byte identifies such a key, without its string. Invariant: a byte becomes a key again only for the type of keys
/// that it came from.
enum ByteKey {
    @inline(__always)
    static func fits<Key: CodingKey>(_: Key.Type) -> Bool {
        MemoryLayout<Key>.size <= 1 && _isPOD(Key.self)
    }

    @inline(__always)
    static func byte<Key: CodingKey>(of key: Key) -> UInt8 {
        // An enumeration with one case has no bytes.
        MemoryLayout<Key>.size == 0 ? 0 : unsafeBitCast(key, to: UInt8.self)
    }

    static func key<Key: CodingKey>(_: Key.Type, of byte: UInt8) -> Key {
        MemoryLayout<Key>.size == 0 ? unsafeBitCast((), to: Key.self) : unsafeBitCast(byte, to: Key.self)
    }
}

// MARK: Metadata of types

struct StoredProperty {
    let name: String
    let type: Any.Type

    /// The stored properties of a type and its superclasses; none without metadata.
    ///
    /// `Mirror` uses the same functions. The standard library does not declare them publicly, but has them on every
    /// platform, with these signatures since Swift 5.2.
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
    /// The name of the key's case; nil for keys that are not enumeration cases.
    ///
    /// The standard library uses the function to print enumerations.
    var caseName: String? { enumCaseName(self).map { String(cString: $0) } }
}

@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
