extension Record.Value {
    /// Reads a value in the typed form, where it is neither in a line nor in the hands of a decoder.
    ///
    /// - Parameter text: One value in UTF-8.
    /// - Throws: ``JSONError`` for the first thing that is wrong.
    package init(typedJSON text: [UInt8]) throws {
        self = try text.withBytesInPlace { bytes in
            do {
                var reader = JSONReader(maximumDepth: BinaryFormat.maximumNesting)
                return try TypedForm.value(try reader.value(in: bytes))
            } catch let fault as JSONFault {
                throw fault.placed(in: bytes)
            }
        }
    }
}
