import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct InvalidIDTests {
    struct Named: RecordCodable, Identifiable, Equatable { var id: String }
    struct Holder: RecordCodable, Identifiable, Equatable {
        var id: Int
        var named: [Named]
    }
    struct Typed: RecordEncodable, DynamicRecordRepresentable {
        static let recordType = "Typed"
        var recordType: String
        var recordName = "n"
    }
    struct Generic<Value: Codable>: RecordCodable, Identifiable {
        var id: Int
        var value: Value
    }

    private func invalidID(_ body: () throws -> Void) -> (
        type: String, name: String, reason: String, place: RecordContext
    )? {
        let error = #expect(throws: RecordError.self) { try body() }
        guard error?.code == .invalidID, let type = error?.recordType, let name = error?.recordName,
            let reason = error?.reason, let place = error?.context
        else { return nil }
        return (type, name, reason, place)
    }

    static let names = [
        ("", "empty"), (String(repeating: "é", count: 128), "longer than 255 bytes"), ("a\nb", "control character"),
    ]

    @Test(arguments: names) func invalidNamesAreRefused(name: String, reason: String) throws {
        let holder = Holder(id: 1, named: [Named(id: "ok"), Named(id: name)])
        let encoding = try #require(invalidID { _ = try RecordEncoder().encode(holder) })
        #expect(encoding.type == "Named")
        #expect(encoding.name == name)
        #expect(encoding.reason.contains(reason))
        #expect(encoding.place.keys == ["named", "Index 1"])
        #expect(encoding.place.steps == ["Holder/1.named[1]"])

        let root = try #require(invalidID { _ = try RecordEncoder().encode(Named(id: name)) })
        #expect(root.reason.contains(reason))
        #expect(root.place.description.isEmpty)
    }

    @Test(arguments: names) func invalidNamesAreRefusedBeforeADatabaseIsAsked(name: String, reason: String) async throws
    {
        let database = try await CountingDatabase(holding: [])
        let error = await #expect(throws: RecordError.self) {
            try await database.values.fetchIfPresent(Named.self, named: name)?.value
        }
        #expect(error?.code == .invalidID && error?.recordName == name)
        #expect(database.calls.isEmpty)
    }

    @Test(arguments: [
        "é", "e\u{301}", "👩‍👩‍👧", "日本", " ", "a/b", "/", "..", "\u{A0}", "\u{200B}", "\u{FEFF}", "\u{2028}",
        String(repeating: "a", count: 255), String(repeating: "é", count: 127),
    ])
    func otherNamesComeBack(name: String) async throws {
        let holder = Holder(id: 1, named: [Named(id: name)])
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(holder)
        let loaded = try await database.values.fetch(Holder.self, named: "1").value
        #expect(loaded.named.map { Array($0.id.utf8) } == [Array(name.utf8)])
        #expect(try Record.ID(Record.ID(type: "Named", name: name).description).name.utf8.elementsEqual(name.utf8))
    }

    @Test func namesThatOnlyLookEqualAreTwoRecords() throws {
        let graph = try RecordEncoder().encode([Named(id: "\u{E9}"), Named(id: "e\u{301}")])
        #expect(graph.count == 2)
        #expect(try RecordDecoder().decodeAll(Named.self, from: graph).map(\.id.utf8.count) == [2, 3])
    }

    @Test(arguments: [
        "", "é", "1a", "a b", String(repeating: "a", count: 256),
    ])
    func invalidTypesAreRefused(type: String) throws {
        let encoding = try #require(invalidID { _ = try RecordEncoder().encode(Typed(recordType: type)) })
        #expect(encoding.type == type)
        #expect(encoding.name == "n")
        #expect(encoding.reason.contains("type"))
    }

    @Test func genericTypeMustNameItsRecordType() throws {
        let error = try #require(invalidID { _ = try RecordEncoder().encode(Generic(id: 1, value: 2)) })
        #expect(error.type == "Generic<Int>")
        #expect(error.reason.hasPrefix("the type has a character other than ASCII letters, digits, '_' and '.'"))
        #expect(error.reason.contains("; state a record type with 'static let recordType' in "))
        #expect(error.reason.hasSuffix("Generic<Swift.Int>"))
    }
}
