import NestedRecords
import Testing

@testable import NestedRecordsSync

private struct Note: RecordCodable, Identifiable {
    @RecordName var id: String
    var readers: [String]
    var text: String
}

private struct Album: RecordCodable, Identifiable {
    @RecordName var id: String
    var readers: [String]
}

private struct Page: RecordCodable, Identifiable {
    @RecordName var id: String
    var album: RecordLink<Album>
}

/// A device that synchronizes with what one reader may see of a remote database.
@Suite struct ReaderScopeSyncTests {
    let local = InMemoryRecordDatabase()
    let remote = InMemoryRecordDatabase()
    let device: RecordStore
    let server: RecordStore

    init() { (device, server) = (RecordStore(local), RecordStore(remote)) }

    private func makeSync(for reader: String = "ann") throws -> RecordSync {
        let scope = try ScopedRecordDatabase(remote, for: reader) { $0.rule(Note.self) { $0.readers.contains(reader) } }
        return try RecordSync(local, with: scope, named: "cloud")
    }

    private func notes() async throws -> [String] {
        try await device.query(Note.self).page().map(\.value.id)
    }

    @Test func deviceHasWhatItsReaderMaySee() async throws {
        try await remote.declare(RecordAudience("Note", readers: "readers"))
        try await server.insert([
            Note(id: "a", readers: ["ann"], text: "1"), Note(id: "b", readers: ["bo"], text: "1"),
        ])
        let sync = try makeSync()
        try await sync.synchronize()
        #expect(try await notes() == ["a"])
        try await server.update(Note.self, named: "b") { $0.readers = ["ann", "bo"] }
        try await device.update(Note.self, named: "a") { $0.text = "2" }
        try await sync.synchronize()
        #expect(try await notes() == ["a", "b"])
        #expect(try await server.fetch(Note.self, named: "a").value.text == "2")
        try await server.update(Note.self, named: "b") { $0.readers = ["bo"] }
        try await sync.synchronize()
        #expect(try await notes() == ["a"])
        #expect(try await server.fetch(Note.self, named: "b").value.readers == ["bo"])
    }

    @Test func scopeThatLosesATypeHasItsRecordsRemoved() async throws {
        for type in ["Note", "Album"] { try await remote.declare(RecordAudience(type, readers: "readers")) }
        try await server.insert(Note(id: "a", readers: ["ann"], text: "1"))
        try await server.insert(Album(id: "x", readers: ["ann"]))
        let both = try ScopedRecordDatabase(remote, for: "ann") {
            $0.rule(Note.self) { $0.readers.contains("ann") }
            $0.rule(Album.self) { $0.readers.contains("ann") }
        }
        try await RecordSync(local, with: both, named: "cloud").synchronize()
        #expect(try await device.query(Album.self).count() == 1)
        let sync = try makeSync()
        for _ in 0..<2 { try await sync.synchronize() }
        #expect(try await notes() == ["a"])
        #expect(try await device.query(Album.self).count() == 0)
        #expect(try await server.query(Album.self).count() == 1)
        #expect(try await sync.verify().isEmpty)
    }

    @Test func rejectedChangeOfATypeWithoutARuleCanBeDiscarded() async throws {
        try await remote.declare(RecordAudience("Note", readers: "readers"))
        let sync = try makeSync()
        try await device.insert(Album(id: "mine", readers: ["ann"]))
        try await sync.synchronize()
        let change = try #require(try await sync.rejected().first)
        #expect(change.recordID.description == "Album/mine")
        #expect(try await sync.plan().saved.isEmpty)
        #expect(try await sync.verify().isEmpty)
        try await sync.discard(change)
        #expect(try await device.query(Album.self).count() == 0)
        #expect(try await sync.rejected().isEmpty)
    }

    @Test func changeOfADepartedRecordOverwritesNothing() async throws {
        try await remote.declare(RecordAudience("Note", readers: "readers"))
        try await server.insert(Note(id: "a", readers: ["ann"], text: "1"))
        let sync = try makeSync()
        try await sync.synchronize()
        try await device.update(Note.self, named: "a") { $0.text = "mine" }
        try await server.update(Note.self, named: "a") { ($0.readers, $0.text) = (["bo"], "theirs") }
        for _ in 0..<3 { try await sync.synchronize() }
        #expect(try await server.fetch(Note.self, named: "a").value.text == "theirs")
        #expect(try await sync.rejected().map(\.recordID.name) == ["a"])
        #expect(try await device.fetch(Note.self, named: "a").value.text == "mine")
    }

    @Test func verificationExplainsWhatTheNextSynchronizationRemoves() async throws {
        try await remote.declare(RecordAudience("Note", readers: "readers"))
        try await server.insert(Note(id: "a", readers: ["ann"], text: "1"))
        let sync = try makeSync()
        try await sync.synchronize()
        try await server.update(Note.self, named: "a") { $0.readers = ["bo"] }
        #expect(try await sync.verify().isEmpty)
    }

    @Test func contentsOfAContainerComeAndGoWithIt() async throws {
        try await remote.declare(RecordAudience("Album", readers: "readers"))
        try await remote.declare(RecordAudience("Page", container: "album", ofType: "Album"))
        let album = Album(id: "pier", readers: ["ann"])
        try await server.insert(album)
        try await server.insert(Page(id: "1", album: RecordLink(to: album)))
        let scope = try ScopedRecordDatabase(remote, for: "ann") {
            $0.rule(Album.self) { $0.readers.contains("ann") }
            $0.rule(Page.self) { $0.album.readers.contains("ann") }
        }
        let sync = try RecordSync(local, with: scope, named: "cloud")
        try await sync.synchronize()
        #expect(try await device.query(Page.self).count() == 1)
        try await server.update(Album.self, named: "pier") { $0.readers = ["bo"] }
        #expect(try await sync.verify().isEmpty)
        try await sync.synchronize()
        #expect(try await device.query(Page.self).count() == 0)
        #expect(try await device.query(Album.self).count() == 0)
        #expect(try await server.query(Page.self).count() == 1)
        try await server.update(Album.self, named: "pier") { $0.readers = ["ann"] }
        try await sync.synchronize()
        #expect(try await device.query(Page.self).count() == 1)
    }

    @Test func anotherReaderIsNotMergedWithTheDevice() async throws {
        try await remote.declare(RecordAudience("Note", readers: "readers"))
        try await makeSync().synchronize()
        let error = await #expect(throws: RecordDatabaseError.self) { try await makeSync(for: "bo").synchronize() }
        #expect(error?.code == .otherAccount)
    }
}
