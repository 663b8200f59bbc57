import NestedRecords
import Testing

/// Types of keys that are unusually small, large or dishonest.
@Suite(.timeLimit(.minutes(10))) struct KeyTypeReuseTests {
    enum OneCase: CodingKey { case only }

    enum AnotherCase: CodingKey { case other }

    /// One byte, which the compiler's keys for more than 256 cases are not.
    struct Byte: CodingKey, Equatable {
        let byte: UInt8
        var stringValue: String { "byte\(byte)" }
        var intValue: Int? { nil }
        init(_ byte: UInt8) { self.byte = byte }
        init?(stringValue: String) {
            guard stringValue.hasPrefix("byte"), let byte = UInt8(stringValue.dropFirst(4)) else { return nil }
            self.init(byte)
        }
        init?(intValue: Int) { nil }
    }

    /// Two bytes.
    struct Word: CodingKey {
        let word: UInt16
        var stringValue: String { "word\(word)" }
        var intValue: Int? { nil }
        init(_ word: UInt16) { self.word = word }
        init?(stringValue: String) {
            guard stringValue.hasPrefix("word"), let word = UInt16(stringValue.dropFirst(4)) else { return nil }
            self.init(word)
        }
        init?(intValue: Int) { nil }
    }

    /// Writes numbers for bytes and words, and reads them.
    struct Numbers: RecordCodable, Equatable {
        static var recordType: String { "Numbers" }
        var recordName: String { "n" }
        var only: Int?
        var other: Int?
        var bytes: [UInt8] = []
        var words: [UInt16] = []

        init(only: Int? = nil, other: Int? = nil, bytes: [UInt8] = [], words: [UInt16] = []) {
            (self.only, self.other, self.bytes, self.words) = (only, other, bytes, words)
        }

        init(from decoder: any Decoder) throws {
            only = try decoder.container(keyedBy: OneCase.self).decodeIfPresent(Int.self, forKey: .only)
            other = try decoder.container(keyedBy: AnotherCase.self).decodeIfPresent(Int.self, forKey: .other)
            let bytes = try decoder.container(keyedBy: Byte.self)
            self.bytes = try bytes.allKeys.map { try bytes.decode(UInt8.self, forKey: $0) }
            let words = try decoder.container(keyedBy: Word.self)
            self.words = try words.allKeys.map { try words.decode(UInt16.self, forKey: $0) }
            // All that is not there, by its byte.
            #expect((0...255).filter { bytes.contains(Byte($0)) } == self.bytes.sorted())
        }

        func encode(to encoder: any Encoder) throws {
            var bytes = encoder.container(keyedBy: Byte.self)
            var words = encoder.container(keyedBy: Word.self)
            var one = encoder.container(keyedBy: OneCase.self)
            var another = encoder.container(keyedBy: AnotherCase.self)
            try one.encodeIfPresent(only, forKey: .only)
            for byte in self.bytes { try bytes.encode(byte, forKey: Byte(byte)) }
            try another.encodeIfPresent(other, forKey: .other)
            for word in self.words { try words.encode(word, forKey: Word(word)) }
        }

        var line: String {
            let fields =
                (only.map { ["only: \($0)"] } ?? []) + bytes.map { "byte\($0): \($0)" }
                + (other.map { ["other: \($0)"] } ?? []) + words.map { "word\($0): \($0)" }
            return "Numbers/n {\(fields.joined(separator: ", "))}"
        }
    }

    @Test func keysOfAnyOneByteKeepTheirFields() throws {
        var all = [Numbers(only: 1, other: 2), Numbers(other: 3), Numbers(only: 4), Numbers(words: [0, 256, 512, 1])]
        // More first keys than a type of keys is expected to have, then all of them in one value.
        all += (0...255).map { Numbers(bytes: [$0, 255 - $0]) }
        all += [Numbers(only: 5, bytes: Array(0...255), words: Array(0...300)), Numbers(bytes: [0]), Numbers()]
        all += [Numbers(bytes: (0...255).reversed()), Numbers(only: 1, bytes: [255], words: [255])]
        for numbers in all + all {
            let graph = try RecordEncoder().encode(numbers)
            #expect(graph.lines == [numbers.line])
            #expect(try RecordDecoder().decode(Numbers.self, from: graph) == numbers)
        }
    }

    /// A key of one byte whose text depends on the day.
    struct Fickle: CodingKey, Equatable {
        @TaskLocal static var language = "en"
        let number: UInt8
        var stringValue: String { "\(Self.language)\(number)" }
        var intValue: Int? { nil }
        init(_ number: UInt8) { self.number = number }
        init?(stringValue: String) {
            guard let number = UInt8(stringValue.dropFirst(2)), stringValue == "\(Self.language)\(number)" else {
                return nil
            }
            self.init(number)
        }
        init?(intValue: Int) { nil }
    }

    struct Translated: RecordCodable {
        static var recordType: String { "Translated" }
        var recordName: String { "t" }
        var numbers: [UInt8]

        init(numbers: [UInt8]) { self.numbers = numbers }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Fickle.self)
            numbers = try [3, 1, 2].map { try container.decode(UInt8.self, forKey: Fickle($0)) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Fickle.self)
            for number in numbers { try container.encode(number, forKey: Fickle(number)) }
        }
    }

    /// Which language a key has is its own affair; that its number is its own is the coder's.
    @Test func keysWhoseTextsChangeNeverMixUpValues() throws {
        for language in ["en", "fr", "en", "de", "fr", "fr", "en"] {
            try Fickle.$language.withValue(language) {
                for order in [[3, 1, 2], [1, 2, 3], [2, 3, 1]] as [[UInt8]] {
                    let graph = try RecordEncoder().encode(Translated(numbers: order))
                    let record = try #require(graph.first)
                    #expect(record.fields.map(\.name).map { $0.dropFirst(2) } == order.map { "\($0)" })
                    #expect(record.fields.map(\.value) == order.map { .int(Int64($0)) })
                    let names = Set(record.fields.map { $0.name.prefix(2) })
                    #expect(names.isSubset(of: ["en", "fr", "de"]))
                    let read = try? RecordDecoder().decode(Translated.self, from: graph)
                    #expect(read == nil || read?.numbers == [3, 1, 2])
                }
            }
        }
    }
}
