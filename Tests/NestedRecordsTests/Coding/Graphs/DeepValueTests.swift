import NestedRecords
import TestSupport
import Testing

/// Values in one field that are nested as deeply as the encoder's default allows.
@Suite(.timeLimit(.minutes(10))) struct DeepValueTests {
    enum Use: CaseIterable, Sendable {
        case equality, hash, references, graph, description, decoding

        func apply(to record: Record, and copy: Record) throws {
            switch self {
            case .equality: #expect(record == copy)
            case .hash: #expect(record.hashValue == copy.hashValue)
            case .references: #expect(record.references.isEmpty)
            case .graph: #expect(try RecordGraph([record, copy]).count == 1)
            case .description: #expect("\(record)" == "\(copy)")
            case .decoding: #expect(try RecordDecoder().decode(Root.self, from: RecordGraph([record])).id == 1)
            }
        }
    }

    struct Root: RecordCodable, Identifiable {
        var id: Int
    }

    static func makeRecord() throws -> Record {
        var value = Record.Value.int(1)
        for _ in 0..<999 { value = .map(["nest": value]) }
        return try Flat.record("Root/1", ["id": .int(1), "nest": value])
    }

    @Test(arguments: Use.allCases) func deepValueIsUsedInATask(use: Use) async throws {
        try use.apply(to: try Self.makeRecord(), and: try Self.makeRecord())
    }

    @Test(arguments: Use.allCases)
    func deepValueIsUsedOnASmallStack(use: Use) async throws {
        let (record, copy) = (try Self.makeRecord(), try Self.makeRecord())
        try await inThreadWithSmallStack { try use.apply(to: record, and: copy) }
    }

    final class Link: Codable {
        var next: Link?
        init(_ next: Link?) { self.next = next }
    }

    struct Owner: RecordCodable, Identifiable, @unchecked Sendable {
        var id = 1
        var first: Link
    }

    @Test
    func equalCopiesOfTheDeepestValueAreOneRecordOnASmallStack() async throws {
        let owners = (1...2).map { _ in Owner(first: (1..<999).reduce(Link(nil)) { link, _ in Link(link) }) }
        #expect(try await inThreadWithSmallStack { try RecordEncoder().encode(owners).count } == 1)
    }
}
