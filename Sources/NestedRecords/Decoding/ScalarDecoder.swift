#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

final class ScalarDecoder<Value: FieldScalar>: TypeDecoder<Value> {
    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> Value {
        try Value.read(at: field) { try frame.readLeniently(field.value, frame.currentKey) }
    }
}

/// Decodes values whose references are read as references, and not followed.
private final class UnfollowedDecoder<Value: FieldScalar>: TypeDecoder<Value> {
    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> Value {
        try frame.call.decodeUnfollowed(field.value, in: frame)
    }
}

extension NativelyDecodable where Self: FieldScalar {
    static var typeDecoder: AnyTypeDecoder.Type { UnfollowedDecoder<Self>.self }
}

extension Record.Reference: NativelyDecodable {}
extension Record.Fields: NativelyDecodable {}
extension Record.Value: NativelyDecodable {}

extension FieldScalar {
    /// Reads a number as a date; in a single value container, also a date as a number.
    ///
    /// A date that is handed an encoder writes a number of seconds, and one that is handed a decoder reads a number.
    static func readDateForm(_ value: Record.Value, isWhole: Bool) -> Self? {
        if case .date(let date) = value { return isWhole ? date.timeIntervalSinceReferenceDate as? Self : nil }
        guard Self.self == Date.self, let seconds = Double.read(value) else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds) as? Self
    }
}
