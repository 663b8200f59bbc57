import Foundation

enum TextCase: String, Codable, CaseIterable, CodingKeyRepresentable { case first, second = "a.b", third = "" }
enum NumberCase: Int, Codable, CaseIterable { case zero, one, many = 900 }

struct Options: OptionSet, Codable { var rawValue: Int }

struct RawDate: RawRepresentable, Codable, Equatable { var rawValue: Date }

struct EquatableRange: Codable, Equatable {
    var range: PartialRangeFrom<Double>
    static func == (left: EquatableRange, right: EquatableRange) -> Bool {
        left.range.lowerBound == right.range.lowerBound
    }
}

struct AnyKey: CodingKey, Hashable {
    var stringValue: String
    var intValue: Int?
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

struct RepresentableKey: Codable, Hashable, CodingKeyRepresentable {
    var text: String
    var codingKey: any CodingKey { AnyKey(text) }
    init(text: String) { self.text = text }
    init?<Key: CodingKey>(codingKey: Key) { text = codingKey.stringValue }
}

struct NumericKey: Codable, Hashable, CodingKeyRepresentable {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int?
        init(stringValue: String) {
            self.stringValue = stringValue
            intValue = Int(stringValue)
        }
        init(intValue: Int) {
            stringValue = "\(intValue)"
            self.intValue = intValue
        }
    }
    var number: Int
    var codingKey: any CodingKey { Key(intValue: number) }
    init(number: Int) { self.number = number }
    init?<Other: CodingKey>(codingKey: Other) {
        guard let number = codingKey.intValue ?? Int(codingKey.stringValue) else { return nil }
        self.number = number
    }
}

/// Fits whatever stands there.
struct Skipped: Decodable { init(from decoder: any Decoder) throws {} }

struct SampleError: Error {}
