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

/// A number for each key of a type whose keys are one byte.
///
/// Invariant: there are 256 numbers, one for each byte, for as long as the object lives.
final class KeySlots {
    /// The number of a key of which nothing is known.
    static let unknown: Int16 = -2

    private let numbers: UnsafeMutablePointer<Int16>

    init() {
        numbers = .allocate(capacity: 256)
        numbers.initialize(repeating: Self.unknown, count: 256)
    }

    deinit { numbers.deallocate() }

    subscript(byte: UInt8) -> Int16 {
        @inline(__always)
        get {
            numbers[Int(byte)]
        }
        set { numbers[Int(byte)] = newValue }
    }
}
