import Foundation
import NestedRecords
import TestSupport
import Testing

/// Types that state a version of their fields.
@Suite struct RecordVersionTests {
    private enum First {
        struct Person: RecordCodable, Identifiable, Equatable {
            var id: String
            var name: String
            static let recordType = "VersionedPerson"
            static let schema = RecordSchema(version: 1)
        }
    }

    private enum Second {
        struct Person: RecordCodable, Identifiable, Equatable {
            var id: String
            var name: String
            static let recordType = "VersionedPerson"
            static let schema = RecordSchema(version: 2)
        }
    }

    private enum Unversioned {
        struct Person: RecordCodable, Identifiable, Equatable {
            var id: String
            var name: String
            static let recordType = "VersionedPerson"
        }
    }

    @Test func versionIsAFieldOfTheRecord() throws {
        let graph = try RecordEncoder().encode(Second.Person(id: "a", name: "Ann"))
        #expect(graph[0].fields == ["id": "a", "name": "Ann", "$version": 2])
    }

    @Test func typeWithoutAVersionWritesNone() throws {
        let graph = try RecordEncoder().encode(Unversioned.Person(id: "a", name: "Ann"))
        #expect(graph[0]["$version"] == nil)
    }

    @Test func recordOfANewerVersionIsRefused() throws {
        let graph = try RecordEncoder().encode(Second.Person(id: "a", name: "Ann"))
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(First.Person.self, from: graph) }
        #expect(error?.code == .newerVersion)
        #expect(error?.recordID?.description == "VersionedPerson/a")
        #expect(error?.description.contains("written by version 2 of its type, and Person has version 1") == true)
    }

    @Test func recordOfAnEarlierVersionAndOfNoneIsRead() throws {
        let person = Second.Person(id: "a", name: "Ann")
        let first = try RecordEncoder().encode(First.Person(id: "a", name: "Ann"))
        #expect(try RecordDecoder().decode(Second.Person.self, from: first) == person)
        let none = try RecordEncoder().encode(Unversioned.Person(id: "a", name: "Ann"))
        #expect(try RecordDecoder().decode(Second.Person.self, from: none) == person)
    }

    @Test func typeWithoutAVersionReadsAllVersions() throws {
        let graph = try RecordEncoder().encode(Second.Person(id: "a", name: "Ann"))
        #expect(
            try RecordDecoder().decode(Unversioned.Person.self, from: graph) == Unversioned.Person(id: "a", name: "Ann")
        )
    }

    @Test func missingFieldOfARecordWithAVersionIsExplainedByIt() throws {
        let record = try Record(id: Record.ID(type: "VersionedPerson", name: "a"), fields: ["id": "a", "$version": 2])
        let graph = try RecordGraph([record], roots: [record.id])
        func reason<Person: RecordDecodable>(_ type: Person.Type) -> String {
            do {
                _ = try RecordDecoder().decode(type, from: graph)
            } catch DecodingError.keyNotFound(_, let context) {
                return context.debugDescription
            } catch {
                Issue.record(error)
            }
            return ""
        }
        #expect(
            reason(Unversioned.Person.self).contains("saved by a program whose type has the version 2"))
        #expect(reason(Second.Person.self).contains("declare a property that is new in the schema's defaults"))
    }

    @Test func noKeyHasTheNameOfTheVersion() throws {
        struct Forged: RecordCodable, Identifiable {
            enum CodingKeys: String, CodingKey { case id, version = "$version" }
            var id: String
            var version: Int
        }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Forged(id: "a", version: 3)) }
        #expect(error?.code == .invalidKey)
    }

    @Test func singleValueHasNoVersion() throws {
        struct Word: RecordCodable {
            var text: String
            var recordName: String { text }
            static let schema = RecordSchema(version: 1)
            init(_ text: String) { self.text = text }
            init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Word("a")) }
        #expect(error?.code == .invalidKey)
    }

    @Test func versionIsAPositiveInteger() throws {
        struct Zero: RecordCodable, Identifiable {
            var id: String
            static let schema = RecordSchema(version: 0)
        }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Zero(id: "a")) }
        #expect(error?.code == .invalidSchema && error?.key == "version")
        #expect(error?.reason == "0 is not a positive integer")
    }

    // The version is none of a record's properties.

    struct Counts: RecordCodable, Equatable {
        static let schema = RecordSchema(version: 1)
        var recordName: String { "counts" }
        var counts: [String: Int]

        init(_ counts: [String: Int]) { self.counts = counts }
        init(from decoder: any Decoder) throws { counts = try [String: Int](from: decoder) }
        func encode(to encoder: any Encoder) throws { try counts.encode(to: encoder) }
    }

    struct OpenCounts: RecordCodable, Equatable {
        static let schema = RecordSchema(version: 1)
        var recordName: String { "counts" }
        var counts: [String: Int]

        init(_ counts: [String: Int]) { self.counts = counts }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: FreeKey.self)
            counts = [:]
            for key in container.allKeys { counts[key.stringValue] = try container.decode(Int.self, forKey: key) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: FreeKey.self)
            for (name, count) in counts { try container.encode(count, forKey: FreeKey(name)) }
        }
    }

    struct Owner: RecordDecodable {
        var recordName: String { "owner" }
        var counts: [String: Int]
    }

    @Test func versionIsNotAnEntryOfADictionary() throws {
        let counts = Counts(["a": 1])
        let decoded = try RecordDecoder().decode(Counts.self, from: RecordEncoder().encode(counts))
        #expect(decoded == counts)
        #expect(throws: Never.self) { try RecordEncoder().encode(decoded) }
    }

    @Test func versionIsNoneOfAllKeys() throws {
        let counts = OpenCounts(["a": 1, "b": 2])
        let decoded = try RecordDecoder().decode(OpenCounts.self, from: RecordEncoder().encode(counts))
        #expect(decoded == counts)
        #expect(throws: Never.self) { try RecordEncoder().encode(decoded) }
    }

    @Test func versionIsAnEntryOfARecordThatIsReadAsADictionary() throws {
        let owner = try Flat.record("Owner/owner", ["counts": Flat.reference("Counts/counts")])
        let graph = try RecordGraph([owner] + RecordEncoder().encode(Counts(["a": 1])), roots: [owner.id])
        let expected = ["a": 1, "$version": 1]
        #expect(try RecordDecoder().decode(Owner.self, from: graph).counts == expected)
    }
}
