import NestedRecords
import Testing

/// Types of coding keys other than the enumerations that the compiler makes.
@Suite struct CodingKeyRoundTripTests {
    enum OneKey: CodingKey { case only }

    struct TextKey: CodingKey {
        var stringValue: String
        var intValue: Int? { Int(stringValue) }
        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { stringValue = "\(intValue)" }
    }

    /// A key of one byte that is no enumeration.
    struct ByteKey: CodingKey {
        var byte: UInt8
        var stringValue: String { "name \(byte)" }
        var intValue: Int? { nil }
        init(byte: UInt8) { self.byte = byte }
        init?(intValue: Int) { nil }
        init?(stringValue: String) {
            guard stringValue.hasPrefix("name "), let byte = UInt8(stringValue.dropFirst(5)) else { return nil }
            self.byte = byte
        }
    }

    /// Two bytes for each name: both must reach the same field.
    struct HalfByteKey: CodingKey {
        var byte: UInt8
        var stringValue: String { "half \(byte / 2)" }
        var intValue: Int? { nil }
        init(byte: UInt8) { self.byte = byte }
        init?(intValue: Int) { nil }
        init?(stringValue: String) { nil }
    }

    struct Single: Codable, Equatable {
        var only: [Int]
        enum CodingKeys: CodingKey { case only }
    }

    struct Keyed<Key: CodingKey & Sendable>: Codable, Equatable {
        var values: [String: Int] = [:]

        init(_ keys: [Key]) {
            for (value, key) in keys.enumerated() { values[key.stringValue] = value }
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys {
                guard container.contains(key) else { continue }
                values[key.stringValue] = try container.decode(Int.self, forKey: key)
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for (name, value) in values {
                guard let key = Key(stringValue: name) else { continue }
                try container.encode(value, forKey: key)
            }
        }
    }

    @Test func everyTypeOfKeysComesBack() async throws {
        func check<Value: Codable & Equatable>(_ value: Value) async throws {
            try await RoundTripCheck()(Holder([value]))
            try await RoundTripCheck()(RecordOf(UnderSuper(value)))
        }
        try await check(Single(only: [1]))
        try await check(Keyed(["b", "a b", "$ref", "super", "é", "1"].map(TextKey.init(stringValue:))))
        try await check(Keyed((0..<300).map(TextKey.init(intValue:))))
        try await check(Keyed([ByteKey(byte: 0), ByteKey(byte: 255), ByteKey(byte: 128)]))
        try await check(Keyed((0...255).map { ByteKey(byte: $0) }))
        try await check((0...199).map { Keyed([ByteKey(byte: $0), ByteKey(byte: 255 - $0)]) })
        try await check((0...40).map { Keyed((0...UInt8($0)).map { ByteKey(byte: $0) }) })
    }

    struct Halves: Codable, Equatable {
        var isSame = true
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: HalfByteKey.self)
            isSame = try (0...9).allSatisfy {
                try container.decode(UInt8.self, forKey: HalfByteKey(byte: $0)) == $0 / 2
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: HalfByteKey.self)
            for byte in 0...9 as ClosedRange<UInt8> { try container.encode(byte / 2, forKey: HalfByteKey(byte: byte)) }
        }
    }

    @Test func differentKeysWithOneNameAreOneField() async throws {
        try await RoundTripCheck()(Holder([Halves(), Halves()]))
        let fields = Record.Fields((0...4).map { ("half \($0)", .int($0)) })
        #expect(try RecordEncoder().encode(Holder(Halves()))[0]["value"] == .map(fields))
    }
}
