import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct EngineTests {
    static let names = Engine.all.map(\.name)

    private func engine(_ name: String) throws -> Engine {
        try #require(Engine.all.first { $0.name == name })
    }

    @Test(arguments: names) func engineIsRecognizedByItsAddressesAndFiles(_ name: String) throws {
        let engine = try engine(name)
        for scheme in engine.schemes {
            let place = try DatabasePlace(scheme.uppercased() + "u:secret@h/d")
            #expect(place.engine.name == name && place.shown == scheme + "u@h/d")
        }
        #expect(engine.start.isEmpty != engine.schemes.isEmpty, "a file or a server")
        if engine.start.isEmpty { return }
        let folder = try ToolFolder()
        for suffix in engine.suffixes {
            #expect(try DatabasePlace(folder.path("new\(suffix)")).engine.name == name)
            try folder.write("other", to: "present\(suffix)")
            let present = try DatabasePlace(folder.path("present\(suffix)")).engine.name
            #expect(present == Engine.recordFile.name, "the name of an existing file says nothing")
        }
        try folder.write(engine.start + "rest", to: "present")
        #expect(try DatabasePlace(folder.path("present")).engine.name == name)
        #expect(try OpenFile(folder.path("present")).engine?.name == name)
    }

    @Test func fileThatNoOtherEngineRecognizesIsARecordFile() throws {
        let folder = try ToolFolder()
        #expect(try DatabasePlace(folder.path("new")).engine.name == Engine.recordFile.name)
        try folder.write("text", to: "text")
        #expect(try DatabasePlace(folder.path("text")).engine.name == Engine.recordFile.name)
    }

    @Test(arguments: names) func engineOfThisBuildOpensWhatItHasWritten(_ name: String) async throws {
        let engine = try engine(name)
        guard engine.open != nil, !engine.start.isEmpty else { return }
        let folder = try ToolFolder()
        let path = folder.path("school" + (engine.suffixes.first ?? ".records"))
        let database = try await DatabasePlace(path).open(for: .writing)
        try await database.commit(RecordBatch(saving: [Record(id: Record.ID("Person/bo"), fields: [:])]))
        #expect((try await database.fieldIndexes() != nil) == engine.removesIndexes)
        try await database.close()
        let input = try await RecordInput(path)
        guard case .database(let reader) = input.source else { throw Unrecognized(engine: name) }
        #expect(try await reader.recordCounts() == ["Person": 1])
        #expect(try await reader.damage().isEmpty)
        try await reader.close()
    }

    #if PostgreSQL
    @Test(.enabled(if: TestServerSchema.isThere, TestServerSchema.reason))
    func engineOfAnAddressOpensTheServer() async throws {
        let schema = TestServerSchema()
        let database = try await DatabasePlace(schema.address).open(for: .writing)
        #expect(try await database.recordCounts().isEmpty)
        try await database.close()
    }
    #endif

    private struct Unrecognized: Error { let engine: String }

    @Test(arguments: names) func engineWithoutItsTraitIsRefusedWithTheNameOfTheTrait(_ name: String) async throws {
        let engine = try engine(name)
        guard let trait = engine.trait else {
            #expect(engine.open != nil, "every build supports \(name)")
            return
        }
        let missing = Engine(name: name, trait: trait, open: nil)
        let error = await #expect(throws: InputError.self) {
            try await DatabasePlace("x", of: missing).open(for: .reading)
        }
        let text = "is \(name); this build does not support it, build it with '--traits \(trait)'"
        #expect(error == InputError(input: "x", reason: text))
    }

    @Test func indexOfAServerIsNotRemoved() async throws {
        let place = try DatabasePlace("postgresql://u:secret@h/d")
        guard place.engine.open != nil else { return }
        #expect(!place.engine.removesIndexes)
        let error = await #expect(throws: InputError.self) {
            try await place.open(for: .indexing([], removesOthers: true))
        }
        let reason = "is on a server, where no index is removed"
        #expect(error == InputError(input: "postgresql://u@h/d", reason: reason))
    }

    @Test func enginesAreListedForHelp() {
        #expect(
            Engine.list(beforeLast: "or ")
                == "A record file, a SQLite database, or the address of a PostgreSQL server, a Firestore database, "
                + "a CloudKit database or a service of records")
    }
}
