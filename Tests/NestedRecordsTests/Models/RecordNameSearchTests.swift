import NestedRecords
import Testing

@Suite struct RecordNameSearchTests {
    struct Note: RecordCodable, Equatable {
        @RecordName var key: String
        var title: String

        enum CodingKeys: CodingKey {
            case title, key
        }

        init(key: String, title: String) {
            self.key = key
            self.title = title
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let name = try container.decode(RecordName<String>.self, forKey: .key)
            _key = name
            title = String(try container.decode(String.self, forKey: .title).dropFirst(name.wrappedValue.count + 1))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("\(recordName) \(title)", forKey: .title)
            try container.encode(_key, forKey: .key)
        }
    }

    @Test func valueMayUseItsRecordNameWhileItIsEncoded() throws {
        let note = Note(key: "n", title: "A note")
        #expect(note.recordName == "n")
        let graph = try RecordEncoder().encode(note)
        #expect(graph.first?["title"] == "n A note")
        #expect(try RecordDecoder().decode(Note.self, from: graph) == note)
    }
}
