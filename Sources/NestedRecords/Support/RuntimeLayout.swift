#if canImport(Darwin)
import Darwin
#endif

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

/// Calls the closure with the bytes of a value, without the objects that it refers to.
@inline(__always)
func withBytes<Value, Result>(of value: Value, _ body: (BytesInPlace) -> Result) -> Result {
    withUnsafeBytes(of: value) { body(BytesInPlace($0)) }
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

/// Functions of the Swift runtime that describe types.
///
/// The standard library uses them for `Mirror` and for printing enumerations, with these signatures since Swift 5.2, and
/// does not declare them publicly. A runtime that comes with the program has them. On Apple's systems the runtime is a part
/// of the system, of which a later version may omit them: there they are looked up by their names, once. All are used, or
/// none: the names of stored properties without those of cases would not show which keys rename properties.
struct RuntimeFunctions: Sendable {
    fileprivate typealias Count = @convention(c) @Sendable (_ type: UnsafeRawPointer) -> Int
    fileprivate typealias Child =
        @convention(c) @Sendable (
            _ type: UnsafeRawPointer, _ index: Int, _ field: UnsafeMutableRawPointer
        ) -> UnsafeRawPointer
    fileprivate typealias Offset = @convention(c) @Sendable (_ type: UnsafeRawPointer, _ index: Int) -> Int
    fileprivate typealias CaseName =
        @convention(c) @Sendable (
            _ value: UnsafeRawPointer, _ type: UnsafeRawPointer
        ) -> UnsafePointer<CChar>?

    fileprivate let count: Count
    fileprivate let child: Child
    fileprivate let offset: Offset
    fileprivate let caseName: CaseName

    /// Those that are used, nil if the system lacks them; tests replace them.
    @TaskLocal static var current: RuntimeFunctions? = found

    #if canImport(Darwin)
    private static let found: RuntimeFunctions? = {
        let program = dlopen(nil, RTLD_LAZY)
        return RuntimeFunctions { dlsym(program, $0) }
    }()
    #else
    private static let found: RuntimeFunctions? = RuntimeFunctions(
        count: { linkedCount($0) }, child: { linkedChild($0, $1, $2) }, offset: { linkedOffset($0, $1) },
        caseName: { linkedCaseName($0, $1) })
    #endif

    private init(count: Count, child: Child, offset: Offset, caseName: CaseName) {
        (self.count, self.child, self.offset, self.caseName) = (count, child, offset, caseName)
    }

    /// Looks the functions up; nil if one of them is missing.
    ///
    /// With such parameters, Swift's convention for calls is that of C.
    init?(named find: (String) -> UnsafeMutableRawPointer?) {
        guard let count = find("swift_reflectionMirror_recursiveCount"),
            let child = find("swift_reflectionMirror_recursiveChildMetadata"),
            let offset = find("swift_reflectionMirror_recursiveChildOffset"), let caseName = find("swift_EnumCaseName")
        else { return nil }
        self.init(
            count: unsafeBitCast(count, to: Count.self), child: unsafeBitCast(child, to: Child.self),
            offset: unsafeBitCast(offset, to: Offset.self),
            caseName: unsafeBitCast(caseName, to: CaseName.self))
    }
}

#if !canImport(Darwin)
@_silgen_name("swift_reflectionMirror_recursiveCount")
private func linkedCount(_: UnsafeRawPointer) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func linkedChild(_: UnsafeRawPointer, _: Int, _: UnsafeMutableRawPointer) -> UnsafeRawPointer

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func linkedOffset(_: UnsafeRawPointer, _: Int) -> Int

@_silgen_name("swift_EnumCaseName")
private func linkedCaseName(_: UnsafeRawPointer, _: UnsafeRawPointer) -> UnsafePointer<CChar>?
#endif

/// The address of a type's metadata, which is what a value of the type `Any.Type` is.
private func metadata(of type: Any.Type) -> UnsafeRawPointer { unsafeBitCast(type, to: UnsafeRawPointer.self) }

struct StoredProperty {
    let name: String
    let type: Any.Type

    /// The number of bytes before it in a value of the type.
    let offset: Int

    /// The stored properties of a type and its superclasses; none without metadata, or without the runtime's functions.
    static func all(of type: Any.Type) -> [StoredProperty] {
        guard let functions = RuntimeFunctions.current else { return [] }
        let type = metadata(of: type)
        return (0..<functions.count(type)).compactMap { index in
            var field = Field()
            let child = functions.child(type, index, &field)
            defer { field.free?(field.name) }
            // The runtime returns the metadata of a type.
            return field.name.map {
                StoredProperty(
                    name: String(cString: $0), type: unsafeBitCast(child, to: Any.Type.self),
                    offset: functions.offset(type, index))
            }
        }
    }

    private struct Field {
        var name: UnsafePointer<CChar>?
        var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
        var isStrong = false
        var isVariable = false
    }
}

extension CodingKey {
    /// The name of the key's case; nil for keys that are not enumeration cases, and without the runtime's functions.
    var caseName: String? {
        guard let functions = RuntimeFunctions.current else { return nil }
        return withUnsafePointer(to: self) { key in
            functions.caseName(key, metadata(of: Self.self)).map { String(cString: $0) }
        }
    }
}

/// The first case of an enumeration of one byte; nil for other types, and without the runtime's functions.
///
/// Zero is a value of such an enumeration: the number of its first case, or the least value of that case's payload.
func firstCase<Value>(of _: Value.Type) -> Value? {
    guard let functions = RuntimeFunctions.current, MemoryLayout<Value>.size == 1, _isPOD(Value.self) else {
        return nil
    }
    let value = unsafeBitCast(0 as UInt8, to: Value.self)
    let name = withUnsafePointer(to: value) { functions.caseName($0, metadata(of: Value.self)) }
    return name == nil ? nil : value
}
