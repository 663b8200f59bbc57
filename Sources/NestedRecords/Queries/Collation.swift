// Not FoundationEssentials, which does not compare by locale.
import Foundation

/// The order of strings by the rules of a locale.
struct Collation: Sendable {
    private let locale: Locale

    /// - Parameter identifier: A checked identifier.
    init(_ identifier: String) { locale = Locale(identifier: identifier) }

    /// Refuses identifiers with which Foundation may trap.
    ///
    /// - Throws: ``RecordError`` with the code `invalidCollation`.
    static func check(_ identifier: String) throws(RecordError) {
        let isAccepted = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            case UInt8(ascii: "@"), UInt8(ascii: "="), UInt8(ascii: ";"): true
            default: false
            }
        }
        guard isAccepted, (1...100).contains(identifier.utf8.count) else {
            throw RecordError(
                .invalidCollation,
                reason: "\(Record.Value.string(identifier)) is not the identifier of a locale, such as \"sv\"")
        }
    }

    func compare(_ left: String, _ right: String) -> ComparisonResult {
        if left.hasSameBytes(as: right) { return .orderedSame }
        // Without `.literal`, Foundation puts "ö" after "oç", and "oç" after "ö".
        return left.compare(right, options: .literal, range: nil, locale: locale)
    }
}
