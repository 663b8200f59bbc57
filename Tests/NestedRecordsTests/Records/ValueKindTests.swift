import Foundation
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct ValueKindTests {
    /// Values of a kind, of which each has another first byte in the binary form.
    static func values(of kind: Record.Value.Kind) throws -> [Record.Value] {
        switch kind {
        case .null: return [.null]
        case .bool: return [false, true]
        case .int: return [1]
        case .double: return [1.0]
        case .string: return ["text"]
        case .date: return [.date(Date(timeIntervalSinceReferenceDate: 0))]
        case .bytes: return [.bytes(Data([1]))]
        case .location: return [.location(try Location("57.05;-5.13"))]
        case .reference:
            let id = try Record.ID("Person/ada")
            return [
                .reference(Record.Reference(to: id)), .reference(Record.Reference(to: id, isLink: true)),
                .reference(Record.Reference(to: id, action: .deleteSelf)),
                .reference(Record.Reference(to: id, action: .deleteSelf, isLink: true)),
            ]
        case .list: return [[1]]
        // A name that looks like a mark.
        case .map: return [["$a": 1]]
        case .serverTimestamp: return [.serverTimestamp]
        case .asset: return [.asset(try RecordAsset(hash: String(repeating: "a", count: 64), size: 1))]
        }
    }

    private func areDistinct(_ names: some Sequence<some Hashable>) -> Bool { Set(names).count == Array(names).count }

    @Test func kindsHaveNamesMarksAndBytesOfTheirOwn() {
        let kinds = Record.Value.Kind.allCases
        #expect(areDistinct(kinds.map(\.name)))
        #expect(areDistinct(kinds.map(\.rawValue)))
        #expect(areDistinct(kinds.compactMap(\.mark)))
        #expect(areDistinct(kinds.flatMap { Array($0.bytes) }))
        let isReadable: (UInt8) -> Bool = { BinaryFormat.Kind(rawValue: $0) != nil }
        #expect(Set(kinds.flatMap(\.bytes)) == Set((.min ... .max).filter(isReadable)))
        #expect(kinds.compactMap(\.mark).allSatisfy(TypedKey.isMark))
    }

    @Test func onlyNumbersAndOnlyTimesAreOrderedTogether() {
        let kinds = Dictionary(grouping: Record.Value.Kind.allCases, by: \.sortByte).values.filter { $0.count > 1 }
        #expect(Set(kinds) == [[.int, .double], [.date, .serverTimestamp]])
    }

    @Test(arguments: Record.Value.Kind.allCases) func kindIsWrittenAsTheTableSays(kind: Record.Value.Kind) throws {
        let values = try Self.values(of: kind)
        #expect(values.allSatisfy { $0.kind == kind })
        let first = values.map { value in
            var bytes = GrowingBytes()
            _ = bytes.append(value)
            return bytes.withBytes { $0[0] }
        }
        #expect(Set(first) == Set(kind.bytes))
        for value in values {
            #expect(SortKey(value).bytes.first == kind.sortByte)
            var json = JSONWriter()
            json.write(typed: value)
            let text = String(decoding: json.bytes, as: UTF8.self)
            #expect(text.hasPrefix("{\"\(kind.mark ?? "$")\":") == (kind.mark != nil), "\(text)")
            #expect(try Record.Value(typedJSON: json.bytes) == value)
        }
    }

    @Test(arguments: Record.Value.Kind.allCases) func kindNestsAndIsUniqueAsTheTableSays(
        kind: Record.Value.Kind
    ) throws {
        for value in try Self.values(of: kind) {
            #expect((value.contents != nil) == kind.nests)
            #expect(value.elements.isEmpty == !kind.nests)
            #expect((value.claimedBytes != nil) == kind.mayBeUnique)
            // A value that has a plain form has the one of its own kind, or a string.
            #expect((value.plainScalar == nil) == (kind.nests || kind == .serverTimestamp))
        }
    }

    @Test func kindIsRankedInTheOrderOfStoredSets() throws {
        let values = try Record.Value.Kind.allCases.map { try Self.values(of: $0)[0] }
        for (position, value) in values.enumerated() {
            for (other, later) in values.enumerated() { #expect(value.precedes(later) == (position < other)) }
        }
        #expect(Record.Value.list(values.reversed()).sorted(byEntries: false) == .list(values))
    }
}
