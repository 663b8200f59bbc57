import NestedRecords
import Testing

@Suite struct RecordNameReflectionTests {
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

    struct Teacher: RecordCodable {
        @RecordName var id: String
    }

    struct Course: RecordCodable {
        @RecordName var id: String
        var teacher: RecordLink<Teacher>
        var previous: RecordLink<Course>?

        enum CodingKeys: CodingKey { case teacher, previous, id }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(RecordLink(to: Teacher(id: "t")), forKey: .teacher)
            let former = Course(id: "c\(id)", teacher: teacher)
            if id.count < 3 { try container.encode(RecordLink(to: former), forKey: .previous) }
            try container.encode(_id, forKey: .id)
        }

        init(id: String, teacher: RecordLink<Teacher>) { (self.id, self.teacher) = (id, teacher) }
    }

    @Test func valueMayMakeLinksToOthersWhileItIsEncoded() throws {
        let course = Course(id: "c", teacher: try RecordLink(named: "t"))
        #expect(course.recordName == "c")
        let record = try RecordEncoder().encode(course)[Record.ID("Course/c")]
        let targets = try #require(record).references.map(\.id)
        #expect(targets == [try Record.ID("Teacher/t"), try Record.ID("Course/cc")])
    }

    struct Failing: RecordEncodable {
        struct Failure: Error, CustomStringConvertible {
            var description: String { "there is no size" }
        }

        @RecordName var id: String
        var size: Int?

        enum CodingKeys: CodingKey { case size, id }

        func encode(to encoder: any Encoder) throws {
            guard let size else { throw Failure() }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(size, forKey: .size)
            try container.encode(_id, forKey: .id)
        }
    }

    @Test func errorBeforeTheNameIsReported() throws {
        let error = #expect(throws: (any Error).self) { try RecordEncoder().encode(Failing(id: "s")) }
        #expect(error.map { "\($0)".contains("there is no size") } == true)
    }
}
