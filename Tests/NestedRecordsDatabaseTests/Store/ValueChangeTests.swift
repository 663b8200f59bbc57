import Foundation
import TestSupport
import Testing

@testable import NestedRecords

/// What a save reads and writes besides what has changed.
@Suite(.serialized) struct ValueChangeTests {
    /// The names of the values that were decoded.
    private static let decoded = Lock<[String]>([])

    struct Leaf: RecordCodable, Identifiable {
        @RecordName var id: String
        var text: String

        init(_ id: String) {
            _id = RecordName(wrappedValue: id)
            text = id
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _id = try container.decode(RecordName<String>.self, forKey: .id)
            text = try container.decode(String.self, forKey: .text)
            let name = id
            ValueChangeTests.decoded.withLock { $0.append(name) }
        }
    }

    struct Branch: RecordCodable, Identifiable {
        @RecordName var id: String
        var title = ""
        var leaves: [Leaf]
    }

    struct Tree: RecordCodable, Identifiable {
        @RecordName var id: String
        var branches: [Branch]
    }

    /// Writes its text without spaces at the ends.
    struct Trimmed: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var text: String

        enum CodingKeys: CodingKey { case id, text }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(_id, forKey: .id)
            try container.encode(text.trimmingCharacters(in: .whitespaces), forKey: .text)
        }
    }

    struct Holder: RecordCodable, Identifiable {
        @RecordName var id: String
        var trimmed: Trimmed
        var others: [Leaf] = []
    }

    private let memory = InMemoryRecordDatabase()

    private func makeTree() -> Tree {
        Tree(
            id: "t",
            branches: (0..<4).map { branch in
                Branch(id: "\(branch)", leaves: (0..<5).map { Leaf("\(branch).\($0)") })
            })
    }

    private func names(decodedBy body: () async throws -> Void) async throws -> [String] {
        Self.decoded.withLock { $0 = [] }
        try await body()
        return Self.decoded.withLock { $0 }
    }

    @Test func saveDecodesOnlyWhatDiffers() async throws {
        try await memory.values.insert(makeTree())
        let database = CountingDatabase(memory)
        var stored = try await database.values.fetch(Tree.self, named: "t")
        stored.branches[2].leaves[3].text = "changed"
        // As it was read, and as it will be read.
        var names = try await names { try await database.values.save(&stored) }
        #expect(names == ["2.3", "2.3"])
        #expect(database.modifications.map(\.texts).last == ["Leaf/2.3"])
        stored.branches[1].title = "changed"
        names = try await self.names { try await database.values.save(&stored) }
        #expect(Set(names) == ["1.0", "1.1", "1.2", "1.3", "1.4"] && names.count == 10)
        names = try await self.names {
            #expect(try stored.changes().isEmpty)
            try await database.values.save(&stored)
        }
        #expect(names.isEmpty)
        let fetched = try await memory.values.fetch(Tree.self, named: "t")
        #expect(fetched.branches[2].leaves[3].text == "changed" && fetched.branches[1].title == "changed")
        #expect(fetched.entityTag == stored.entityTag && fetched.changeTags == stored.changeTags)
    }

    @Test func changesOfAPartAreThoseOfTheWhole() async throws {
        try await memory.values.insert(makeTree())
        var stored = try await memory.values.fetch(Tree.self, named: "t")
        let encoder = RecordEncoder()
        let before = try encoder.encode(stored.value)
        stored.branches[0].leaves[0].text = "changed"
        stored.branches[0].leaves.append(Leaf("new"))
        stored.branches[3].leaves.remove(at: 1)
        stored.branches[3].leaves.swapAt(0, 1)
        let whole = try encoder.encode(stored.value).difference(from: before)
        #expect("\(try stored.changes())" == "\(whole)")
        #expect(whole.added.count == 1 && whole.removed.count == 1 && whole.changed.count == 3)
    }

    @Test func removedRecordsLeaveTheValue() async throws {
        try await memory.values.insert(makeTree())
        for deletes in [false, true] {
            var stored = try await memory.values.fetch(Tree.self, named: "t")
            stored.branches[1].leaves.removeLast()
            try await memory.values.save(&stored, deletesRemovedRecords: deletes)
            stored.branches[1].leaves[0].text += "!"
            try await memory.values.save(&stored)
            let fetched = try await memory.values.fetch(Tree.self, named: "t")
            #expect(fetched.entityTag == stored.entityTag && fetched.changeTags == stored.changeTags)
        }
    }

    @Test func saveKeepsTheValueAsTheCallerHasIt() async throws {
        try await memory.values.insert(
            Holder(id: "h", trimmed: Trimmed(id: "a", text: "x"), others: (0..<20).map { Leaf("\($0)") }))
        var stored = try await memory.values.fetch(Holder.self, named: "h")
        stored.trimmed.text = " y "
        try await memory.values.save(&stored)
        #expect(stored.trimmed.text == " y ")
        #expect(try await memory.values.fetch(Holder.self, named: "h").trimmed.text == "y")
        #expect(try stored.changes().isEmpty)
    }

    @Test func valuesOfTwoSwiftTypesForOneRecordTypeAreComparedWhole() async throws {
        struct Short: RecordCodable, Identifiable {
            static let recordType = "Note"
            @RecordName var id: String
            var text: String
        }
        struct Long: RecordCodable, Identifiable {
            static let recordType = "Note"
            @RecordName var id: String
            var text: String
            var more: String?
        }
        struct Notes: RecordCodable, Identifiable {
            @RecordName var id: String
            var short: [Short]
            var long: [Long]
        }
        try await memory.values.insert(
            Notes(
                id: "n", short: [Short(id: "a", text: "1")], long: [Long(id: "b", text: "2", more: "3")]))
        try await memory.set("unknown", of: "Note/a", to: 7)
        var stored = try await memory.values.fetch(Notes.self, named: "n")
        stored.short[0].text = "4"
        stored.long[0].more = nil
        try await memory.values.save(&stored)
        #expect(try await memory.fetch("Note/a").fields == ["text": "4", "unknown": 7])
        #expect(try await memory.fetch("Note/b").fields == ["text": "2"])
    }
}
