extension String {
    /// Makes a string from bytes in UTF-8; nil if they are not valid.
    ///
    /// The standard library's `init(validating:as:)` needs newer systems than the rest of the library.
    package init?(validUTF8 bytes: [UInt8]) {
        // Decoding replaces invalid bytes.
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}
