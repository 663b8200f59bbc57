import Foundation
import NestedRecords
import TestSupport
import Testing

/// Dates that are read from numbers and numbers from dates: a date that is handed an encoder writes a number.
@Suite struct DateFormTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 7)

    enum CodingKeys: CodingKey { case part, other, count }

    /// Hands an encoder on to a date at a key.
    private static func write(_ date: Date, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try date.encode(to: container.superEncoder(forKey: .part))
    }

    /// Reads a date in one of several ways, and goes on without it.
    struct Forgiving: RecordCodable, Equatable {
        enum Way: CaseIterable, Sendable {
            case decode, decodeIfPresent, looksFirst, looksAfterwards, otherTypes, wrapped, nested
        }
        static let way = CodingUserInfoKey(rawValue: "DateFormTests.way").unsafelyUnwrapped

        var recordName: String { "forgiving" }
        var date: Date?

        init(_ date: Date) { self.date = date }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch decoder.userInfo[Self.way] as? Way {
            case .decodeIfPresent: date = try? container.decodeIfPresent(Date.self, forKey: .part)
            case .looksFirst:
                guard container.contains(.part), try !container.decodeNil(forKey: .part) else { return }
                date = try? container.decode(Date.self, forKey: .part)
            case .looksAfterwards:
                date = try? container.decode(Date.self, forKey: .part)
                _ = try (container.contains(.part), container.decodeNil(forKey: .part))
            case .otherTypes:
                date = try? container.decode(Date.self, forKey: .part)
                guard date == nil else { return }
                _ = try? container.decode(String.self, forKey: .part)
                _ = try? container.decode([Int].self, forKey: .part)
                _ = try? container.decode(Empty.self, forKey: .part)
                date = try? container.decode(Wrapper.self, forKey: .part).date
            case .wrapped: date = try? container.decode(Wrapper.self, forKey: .part).date
            case .nested: date = try? Date(from: container.superDecoder(forKey: .part))
            case .decode, nil: date = try? container.decode(Date.self, forKey: .part)
            }
        }

        func encode(to encoder: any Encoder) throws { try date.map { try DateFormTests.write($0, to: encoder) } }

        struct Empty: Decodable {
            enum CodingKeys: CodingKey { case none }
            init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: CodingKeys.self) }
        }

        struct Wrapper: Decodable {
            var date: Date
            init(from decoder: any Decoder) throws { date = try decoder.singleValueContainer().decode(Date.self) }
        }
    }

    @Test(arguments: Forgiving.Way.allCases) func dateAtAKeyIsFoundByATypeThatGoesOnWithoutIt(_ way: Forgiving.Way)
        throws
    {
        let value = Forgiving(Self.date)
        #expect(try BothCoders.throughJSON(value, [Forgiving.way: way]) == value)
        #expect(try BothCoders.throughRecords(value, [Forgiving.way: way]) == value)
        #expect(try BothCoders.throughRecords(Holder([value]), [Forgiving.way: way]).value == [value])
    }

    /// Reads a collection of dates, and goes on without it.
    struct ForgivingCollection<Dates: Codable & Equatable>: RecordCodable, Equatable {
        static var recordType: String { "Collection" }
        var recordName: String { "collection" }
        var dates: Dates?

        init(_ dates: Dates) { self.dates = dates }
        init(from decoder: any Decoder) throws {
            dates = try? decoder.container(keyedBy: CodingKeys.self).decode(Dates.self, forKey: .part)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var list = container.nestedUnkeyedContainer(forKey: .part)
            try DateFormTests.date.encode(to: list.superEncoder())
        }
    }

    @Test func datesInACollectionAreFound() throws {
        try BothCoders.expectSame(ForgivingCollection([Self.date]))
        try BothCoders.expectSame(ForgivingCollection([Optional(Self.date)]))
        try BothCoders.expectSame(ForgivingCollection(Set([Self.date])))
        #expect(try BothCoders.throughRecords(ForgivingCollection([Self.date])).dates == [Self.date])
    }

    /// Tries a date before a number, at a key.
    struct Union: Codable, Equatable {
        var date: Date?
        var number: Double?

        init(date: Date) { self.date = date }
        init(number: Double) { self.number = number }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            date = try? container.decode(Date.self, forKey: .part)
            if date == nil { number = try container.decode(Double.self, forKey: .part) }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if let date {
                try container.encode(date, forKey: .part)
            } else {
                try container.encode(number, forKey: .part)
            }
        }
    }

    @Test func typeThatTriesADateFirstFindsOneInEveryNumberAsInJSON() throws {
        for union in [Union(number: 7), Union(date: Self.date)] {
            try BothCoders.expectSame(Holder(union))
            #expect(try BothCoders.throughRecords(Holder(union)).value.date == Self.date)
        }
    }

    /// Tries a number before a date.
    struct NumberOrDate: Codable, Equatable {
        var number: Double?
        var date: Date?

        init(_ date: Date) { self.date = date }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            number = try? container.decode(Double.self)
            if number == nil { date = try container.decode(Date.self) }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(date)
        }
    }

    @Test func singleValueThatIsTriedAsANumberFirstIsTheNumberOfADateAsInJSON() throws {
        try BothCoders.expectSame(Holder(NumberOrDate(Self.date)))
        #expect(try BothCoders.throughRecords(Holder(NumberOrDate(Self.date))).value.number == 7)
    }

    /// Counts how often it is read, and reads what the `userInfo` says.
    struct Counted: Codable, Equatable {
        struct Failure: Error {}
        static let body = CodingUserInfoKey(rawValue: "DateFormTests.body").unsafelyUnwrapped
        static let count = CodingUserInfoKey(rawValue: "DateFormTests.count").unsafelyUnwrapped
        typealias Body = @Sendable (any Decoder) throws -> Void

        init() {}
        init(from decoder: any Decoder) throws {
            (decoder.userInfo[Self.count] as? Locked<Int>)?.withLock { $0 += 1 }
            try (decoder.userInfo[Self.body] as? Body)?(decoder)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(7.5, forKey: .part)
            try container.encode(DateFormTests.date, forKey: .other)
            try container.encode([1, 2], forKey: .count)
        }

        static func count(_ body: @escaping Body) throws -> Int {
            let count = Locked(0)
            var decoder = RecordDecoder()
            decoder.coding.userInfo = [Self.body: body, Self.count: count]
            _ = try? decoder.decode(Holder<Counted>.self, from: RecordEncoder().encode(Holder(Counted())))
            return count.withLock { $0 }
        }
    }

    @Test func typeIsReadOnceWhateverItSeeks() throws {
        let bodies: [Counted.Body] = [
            { _ in throw Counted.Failure() },
            { _ = try? $0.container(keyedBy: CodingKeys.self).decode(Bool.self, forKey: .other) },
            { _ = try $0.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .other) },
            { _ = try $0.container(keyedBy: CodingKeys.self).decode(Date.self, forKey: .count) },
            { _ = try $0.container(keyedBy: CodingKeys.self).decode(Date.self, forKey: .part) },
            { _ = try Double(from: $0.container(keyedBy: CodingKeys.self).superDecoder(forKey: .other)) },
        ]
        for (number, body) in bodies.enumerated() { #expect(try Counted.count(body) == 1, "\(number)") }
    }
}
