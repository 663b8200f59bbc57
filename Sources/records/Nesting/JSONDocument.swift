import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A JSON document: its value, and its bytes to compute places.
struct JSONDocument: Sendable {
    /// The root value.
    let root: JSONValue

    private let bytes: Data

    /// Reads a document.
    ///
    /// - Parameter bytes: A single value in UTF-8.
    /// - Throws: ``JSONError`` for the first syntax error.
    init(_ bytes: Data) throws {
        self.bytes = bytes
        root = try bytes.withBytesInPlace {
            var reader = JSONReader()
            return try reader.value(in: $0)
        }
    }

    /// The line and the column of a value.
    ///
    /// - Parameter offset: The value's offset.
    func place(at offset: Int) -> JSONPlace {
        bytes.withBytesInPlace { JSONPlace(of: offset, in: $0) }
    }
}
