import TestSupport
import Testing

@testable import NestedRecords

/// The first decoding of a wide type: lists of several types beside each other, each with lists of its own.
@Suite(.timeLimit(.minutes(60))) struct FirstDecodingTests {
    /// A music store in four levels.
    ///
    /// No other test decodes these types.
    private enum First {
        struct Store: RecordCodable, Identifiable, Equatable {
            var id: Int
            var artists: [Artist]
            var customers: [Customer]
            var playlists: [String: Playlist]
            var director: Employee?
            static let recordType = "FirstStore"
        }
        struct Artist: RecordCodable, Identifiable, Equatable {
            var id: Int
            var albums: [Album]
            static let recordType = "FirstArtist"
        }
        struct Album: RecordCodable, Identifiable, Equatable {
            var id: Int
            var tracks: [Track]
            static let recordType = "FirstAlbum"
        }
        struct Track: RecordCodable, Identifiable, Equatable {
            var id: Int
            var genre: Genre
            var mediaType: MediaType
            static let recordType = "FirstTrack"
        }
        struct Genre: RecordCodable, Identifiable, Equatable {
            var id: Int
            static let recordType = "FirstGenre"
        }
        struct MediaType: RecordCodable, Identifiable, Equatable {
            var id: Int
            static let recordType = "FirstMediaType"
        }
        struct Customer: RecordCodable, Identifiable, Equatable {
            var id: Int
            var invoices: [Invoice]
            var agent: Employee?
            static let recordType = "FirstCustomer"
        }
        struct Invoice: RecordCodable, Identifiable, Equatable {
            var id: Int
            var lines: [Line]
            static let recordType = "FirstInvoice"
        }
        struct Line: RecordCodable, Identifiable, Equatable {
            var id: Int
            var track: Track
            static let recordType = "FirstLine"
        }
        struct Playlist: RecordCodable, Identifiable, Equatable {
            var id: Int
            var tracks: [Track]
            static let recordType = "FirstPlaylist"
        }
        struct Employee: RecordCodable, Identifiable, Equatable {
            var id: Int
            var chief: Box?
            static let recordType = "FirstEmployee"
            /// An employee in an embedded value.
            struct Box: Codable, Equatable {
                var chiefs: [Employee]
            }
        }

        static var store: Store {
            let genres = (0..<3).map { Genre(id: $0) }
            let tracks = (0..<12).map { Track(id: $0, genre: genres[$0 % 3], mediaType: MediaType(id: $0 % 2)) }
            let albums = (0..<4).map { Album(id: $0, tracks: Array(tracks[($0 * 3)..<($0 * 3 + 3)])) }
            let artists = (0..<2).map { Artist(id: $0, albums: Array(albums[($0 * 2)..<($0 * 2 + 2)])) }
            let chief = Employee(id: 1, chief: nil)
            let manager = Employee(id: 2, chief: .init(chiefs: [chief]))
            let agents = (3..<5).map { Employee(id: $0, chief: .init(chiefs: [manager])) }
            let lines = (0..<6).map { Line(id: $0, track: tracks[$0]) }
            let invoices = (0..<3).map { Invoice(id: $0, lines: Array(lines[($0 * 2)..<($0 * 2 + 2)])) }
            let customers = (0..<3).map { Customer(id: $0, invoices: [invoices[$0]], agent: agents[$0 % 2]) }
            let playlists = ["all": Playlist(id: 1, tracks: tracks), "few": Playlist(id: 2, tracks: [tracks[0]])]
            return Store(id: 1, artists: artists, customers: customers, playlists: playlists, director: manager)
        }
    }

    @Test func firstDecodingTakesACallForEachLevel() async throws {
        let store = First.store
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(store))
        for _ in 1...2 {
            let resolution = try await RecordDecoder().resolve(
                First.Store.self, from: Record.ID("FirstStore/1"), in: database)
            #expect(resolution.value == store && resolution.callCount == 4 && resolution.passCount == 1)
            #expect(Set(database.asked).count == database.asked.count)
            database.forgetCalls()
        }
    }

    /// Reads its properties in another order than it declares them, and has nested values of its own type.
    private struct Step: RecordCodable, Identifiable {
        var id: Int
        var next: [Step]
        var other: [Step]
        static let recordType = "FirstStep"

        @TaskLocal static var counts: Locked<(begun: Int, completed: Int)>?

        init(id: Int, next: [Step] = [], other: [Step] = []) { (self.id, self.next, self.other) = (id, next, other) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            Self.counts?.withLock { $0.begun += 1 }
            next = try container.decode([Step].self, forKey: .next)
            other = try container.decode([Step].self, forKey: .other)
            id = try container.decode(Int.self, forKey: .id)
            Self.counts?.withLock { $0.completed += 1 }
        }
    }

    @Test func decodingOfAValueIsCompletedOnceHoweverOftenItIsBegun() async throws {
        let step = Step(id: 1, next: [Step(id: 2, next: [Step(id: 3)], other: [Step(id: 4)])], other: [Step(id: 5)])
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(step))
        for isFirst in [true, false] {
            let counts = Locked((begun: 0, completed: 0))
            let read = try await Step.$counts.withValue(counts) {
                try await RecordDecoder().decode(Step.self, from: Record.ID("FirstStep/1"), in: database)
            }
            #expect(read.next.map(\.id) == [2])
            let (begun, completed) = counts.withLock { $0 }
            #expect(completed == 5 && (isFirst ? begun >= 5 : begun == 5), "\(begun) begun, \(completed) completed")
        }
    }

    // MARK: Properties

    private struct Part: RecordCodable, Identifiable, Equatable {
        var id: Int
        var parts: [Part] = []
        var other: Other?
        static let recordType = "FirstPart"
    }

    private struct Other: RecordCodable, Identifiable, Hashable {
        var id: Int
        static let recordType = "FirstOther"
    }

    @Test func optionalPropertyIsFetchedWithTheOthers() async throws {
        let records = try RecordEncoder().encode(Part(id: 1, parts: [Part(id: 2)], other: Other(id: 3)))
        let database = try await CountingDatabase(holding: records)
        let resolution = try await RecordDecoder().resolve(Part.self, from: Record.ID("FirstPart/1"), in: database)
        #expect(resolution.callCount == 2)
    }

    private struct Written: RecordEncodable, Identifiable {
        var id: Int
        var others: [Other]
        static let recordType = "FirstAsymmetric"
    }

    @Test func typeThatOnlyReadsFewerFieldsFetchesFewerRecords() async throws {
        struct Read: RecordCodable, Identifiable {
            var id: Int
            static let recordType = "FirstAsymmetric"
        }
        let database = try await CountingDatabase(
            holding: try RecordEncoder().encode(Written(id: 1, others: [Other(id: 1)])))
        _ = try await RecordDecoder().decode(Read.self, from: Record.ID("FirstAsymmetric/1"), in: database)
        #expect(database.sortedCalls == [["FirstAsymmetric/1"]])
    }

    @Test func typeThatReadsOtherwiseThanItWritesIsReadAndTheNextTimeFetchesLess() async throws {
        struct Odd: RecordCodable, Identifiable {
            var id: Int
            var others: [Other]
            var count = 0
            init(id: Int, others: [Other]) { (self.id, self.others) = (id, others) }
            enum CodingKeys: CodingKey { case id, others }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                count = try container.decode([Record.Reference].self, forKey: .others).count
                others = []
            }
            static let recordType = "FirstOdd"
        }
        let database = try await CountingDatabase(
            holding: try RecordEncoder().encode(Odd(id: 1, others: [Other(id: 1)])))
        for round in 1...2 {
            database.forgetCalls()
            let odd = try await RecordDecoder().decode(Odd.self, from: Record.ID("FirstOdd/1"), in: database)
            #expect(odd.count == 1)
            #expect(database.calls.count <= (round == 1 ? 2 : 1))
        }
    }

    /// Records in every place that properties show, and in some that they do not.
    private enum Places {
        struct Leaf: RecordCodable, Identifiable, Hashable {
            var id: Int
            var next: Other?
            static let recordType = "FirstLeaf"
        }

        struct Box<Content: Codable & Equatable>: Codable, Equatable {
            var content: Content
        }

        enum Either: Codable, Equatable {
            case leaf(Leaf)
            case none
        }

        struct Visible: RecordCodable, Identifiable, Equatable {
            var id: Int
            var one: Leaf
            var some: Leaf?
            var list: [Leaf]
            var set: Set<Leaf>
            var map: [String: [Leaf]]
            var numbered: [Int: Leaf]
            var box: Box<Box<Leaf>>
            @ExplicitNull var null: Leaf?
            var link: RecordLink<Leaf>
            var pointer: Record.Reference
            var renamed: Leaf
            static let recordType = "FirstVisible"

            enum CodingKeys: String, CodingKey {
                case id, one, some, list, set, map, numbered, box, null, link, pointer
                case renamed = "other name"
            }
        }

        struct Hidden: RecordCodable, Identifiable, Equatable {
            var id: Int
            var either: Either
            var leaf: Leaf
            static let recordType = "FirstHidden"
        }

        static func leaf(_ id: Int) -> Leaf { Leaf(id: id, next: Other(id: id)) }
    }

    @Test func recordsInEveryPropertyAreFetchedWithTheOthersAndLinksNever() async throws {
        typealias Box = Places.Box
        let leaf = Places.leaf
        let value = Places.Visible(
            id: 1, one: leaf(1), some: leaf(2), list: [leaf(3), leaf(4)], set: [leaf(5)], map: ["a": [leaf(6)]],
            numbered: [1: leaf(7)], box: Box(content: Box(content: leaf(8))), null: leaf(9),
            link: RecordLink(to: try Record.ID("FirstLeaf/90")),
            pointer: Record.Reference(to: try Record.ID("FirstLeaf/91")), renamed: leaf(10))
        let targets = try ["FirstLeaf/90", "FirstLeaf/91"].map { try Flat.record($0, ["id": .int(90)]) }
        let database = try await CountingDatabase(holding: Array(try RecordEncoder().encode(value)) + targets)
        let resolution = try await RecordDecoder().resolve(
            Places.Visible.self, from: Record.ID("FirstVisible/1"), in: database)
        #expect(resolution.value == value && resolution.callCount == 3 && resolution.passCount == 1)
        #expect(database.sortedCalls[1] == (1...10).map { "FirstLeaf/\($0)" }.sorted())
    }

    @Test func recordsThatPropertiesDoNotShowAreFetchedToo() async throws {
        let value = Places.Hidden(id: 1, either: .leaf(Places.leaf(1)), leaf: Places.leaf(2))
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(value))
        for _ in 1...2 {
            let resolution = try await RecordDecoder().resolve(
                Places.Hidden.self, from: Record.ID("FirstHidden/1"), in: database)
            #expect(resolution.value == value && resolution.callCount == 3)
        }
    }

    private struct Folder: RecordCodable, Identifiable {
        var id: Int
        var folders: [Folder] = []
        static let recordType = "FirstFolder"

        init(id: Int, folders: [Folder] = []) { (self.id, self.folders) = (id, folders) }
        enum CodingKeys: CodingKey { case id, folders }
        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        }
    }

    @Test func recordsThatAreNotReadDoNotMakeALoadFail() async throws {
        let folder = Folder(id: 1, folders: [Folder(id: 2, folders: [Folder(id: 3), Folder(id: 4)])])
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(folder))
        var decoder = RecordDecoder()
        decoder.coding.maximumRecords = 2
        for round in 1...2 {
            database.forgetCalls()
            #expect(try await decoder.decode(Folder.self, named: "1", in: database).id == 1)
            #expect(database.calls.count <= (round == 1 ? 2 : 1))
        }
    }

    /// Gives a record too many, where it is asked for anything but the root.
    private struct SurplusDatabase: RecordDatabase {
        let base = InMemoryRecordDatabase()

        func records(for ids: [Record.ID]) async throws -> [Record] {
            let answer = try await base.records(for: ids)
            return ids.contains { $0.name == "1" } ? answer : answer + [try Flat.record("FirstFolder/9", [:])]
        }
        func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }
        func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
    }

    /// The same without what other tests have learned.
    private struct Drawer: RecordDecodable, Identifiable {
        var id: Int
        var folders: [Folder]
        static let recordType = "FirstFolder"
        enum CodingKeys: CodingKey { case id, folders }
        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
            folders = []
        }
    }

    @Test func wrongAnswerOfADatabaseIsAnErrorThoughNothingOfItIsRead() async throws {
        let database = SurplusDatabase()
        try await database.values.overwrite(Folder(id: 1, folders: [Folder(id: 2)]))
        let error = await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(Drawer.self, named: "1", in: database)
        }
        #expect(error?.code == .invalidResponse)
    }

    private struct Spelled: RecordCodable, Identifiable, Equatable {
        var id: Int
        var firstPart: Part?
        var otherParts: [Other]
        static let recordType = "FirstSpelled"
    }

    @Test func namesOfAStrategyAreKnownToo() async throws {
        var decoder = RecordDecoder()
        decoder.coding.keyStrategy = .snakeCase
        let value = Spelled(id: 1, firstPart: Part(id: 1, parts: [Part(id: 2)]), otherParts: [Other(id: 1)])
        let database = try await CountingDatabase(
            holding: try RecordEncoder(decoder.coding).encode(value))
        let resolution = try await decoder.resolve(Spelled.self, from: Record.ID("FirstSpelled/1"), in: database)
        #expect(resolution.value == value && resolution.callCount == 3 && resolution.passCount == 1)
    }
}
