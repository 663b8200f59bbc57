extension String {
    /// Equality of bytes, where `==` compares by canonical equivalence.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        hasSameBits(as: other) || hasSameBytesElsewhere(as: other)
    }

    @inline(never)
    private func hasSameBytesElsewhere(as other: String) -> Bool {
        withBytesInPlace { bytes in other.withBytesInPlace { bytes.hasSameBytes(as: $0) } }
    }

    /// Whether these bytes are the UTF-8 of this string.
    @inline(__always)
    package func hasSameBytes(as bytes: BytesInPlace) -> Bool { withBytesInPlace { $0.hasSameBytes(as: bytes) } }

    /// What follows a string that this one begins with, byte by byte; nil if it does not.
    func bytes(behind beginning: String) -> String? {
        guard utf8.starts(with: beginning.utf8) else { return nil }
        return String(Substring(utf8.dropFirst(beginning.utf8.count)))
    }

    /// Mixes the bytes of this string into a hash, as ``BytesInPlace/foldBytes(into:)`` does.
    func foldBytes(into hash: UInt64) -> UInt64 { withBytesInPlace { $0.foldBytes(into: hash) } }

    /// Mixes the bytes into a hash as ``foldBytes(into:)`` does, and returns whether there are 1 to 255 of them, all from
    /// space to tilde, as those of most names are.
    func foldPlainBytes(into hash: UInt64) -> (hash: UInt64, isPlain: Bool) {
        withBytesInPlace { $0.foldPlainBytes(into: hash) }
    }
}
