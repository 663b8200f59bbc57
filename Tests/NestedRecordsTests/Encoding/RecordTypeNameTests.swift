import NestedRecords
import Testing

/// Swift types whose own names are their record types.
@Suite struct RecordTypeNameTests {
    enum First {
        struct Item: RecordCodable, Identifiable { var id: Int }
        struct Stated: RecordCodable, Identifiable {
            static let recordType = "Item"
            var id: Int
        }
    }

    enum Second {
        struct Item: RecordCodable, Identifiable { var id: Int }
    }

    struct Both<A: RecordCodable, B: RecordCodable>: RecordCodable {
        static var recordType: String { "Both" }
        var recordName: String { "both" }
        var first: A
        var second: B?
    }

    @Test func twoTypesWithOneNameAreRefused() throws {
        for id in [1, 2] {
            let both = Both(first: First.Item(id: 1), second: Second.Item(id: id))
            let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(both) }
            #expect(error?.code == .ambiguousRecordType && error?.recordType == "Item")
            let text = "\(error as Any)"
            #expect(text.contains("RecordTypeNameTests.First.Item and "))
            #expect(text.contains("RecordTypeNameTests.Second.Item both become records of the type Item"))
            #expect(text.contains("static let recordType"))
        }
    }

    @Test func viewThatStatesItsRecordTypeStaysPossible() throws {
        let graph = try RecordEncoder().encode(Both(first: First.Stated(id: 1), second: Second.Item(id: 1)))
        #expect(graph.map(\.id.description) == ["Item/1", "Both/both"])
    }

    @Test func oneTypeInSeveralPlacesDoesNotMatter() throws {
        let graph = try RecordEncoder().encode(Both(first: First.Item(id: 1), second: First.Item(id: 2)))
        #expect(graph.count == 3)
    }

    struct Schüler: RecordCodable, Identifiable { var id: Int }
    struct _Under: RecordCodable, Identifiable { var id: Int }
    struct Page<Element: Codable & Sendable>: RecordCodable, Identifiable { var id: Int }

    @Test func nameThatIsNotARecordTypeSaysWhatToState() throws {
        func text(_ value: some RecordEncodable) -> String {
            do {
                _ = try RecordEncoder().encode(value)
                return ""
            } catch { return "\(error)" }
        }
        for (text, name) in [
            (text(Schüler(id: 1)), "Schüler"), (text(_Under(id: 1)), "_Under"),
            (text(Page<Int>(id: 1)), "Page<Swift.Int>"),
        ] {
            #expect(text.contains("state a record type with 'static let recordType' in"), "\(text)")
            #expect(text.contains("RecordTypeNameTests.\(name)"), "\(text)")
        }
    }
}
