import NestedRecords
import TestSupport
import Testing

/// What values keep of the decoders of one call reads that call's records for ever.
@Suite(.timeLimit(.minutes(10))) struct LeftDecoderReuseTests {
    private static let places = [Leaver.Place.record, .field, .element]

    /// Decodes a value that leaves something, and gives that.
    private func leftovers(_ kind: LazyPart.Kind, _ place: Leaver.Place, _ name: String) throws -> [Leftover] {
        let shelf = Shelf()
        let graph = try LazyReader.graph(kind, place, name)
        #expect(try LazyPart.$shelf.withValue(shelf) { try text(kind, graph) } == name)
        let leftovers = shelf.clear()
        #expect(!leftovers.isEmpty)
        return leftovers
    }

    private func text(_ kind: LazyPart.Kind, _ graph: RecordGraph) throws -> String {
        try LazyPart.$kind.withValue(kind) { try RecordDecoder().decode(LazyReader.self, from: graph).text }
    }

    /// Reads everything that was left by a record.
    private func use(_ leftovers: [Leftover], of name: String) {
        for leftover in leftovers {
            #expect(Result { try leftover.use("") }.text == name)
            #expect(leftover.path().allSatisfy { $0 == name || $0 == "Index 0" })
            #expect(leftover.recordID()?.description == "LazyReader/\(name)")
        }
    }

    @Test(arguments: LazyPart.Kind.allCases, places)
    func laterCallsNeitherDisturbNorAreDisturbed(kind: LazyPart.Kind, place: Leaver.Place) throws {
        var left = try leftovers(kind, place, "early")
        use(left, of: "early")
        for number in 0..<5 {
            let graph = try LazyReader.graph(kind, place, "now\(number)")
            #expect(try text(kind, graph) == "now\(number)")
            use(left, of: "early")
        }
        left = []
        #expect(try text(kind, LazyReader.graph(kind, place, "last")) == "last")
    }

    @Test(arguments: LazyPart.Kind.allCases)
    func everyCallMayLeaveSomething(kind: LazyPart.Kind) throws {
        var all: [(name: String, leftovers: [Leftover])] = []
        for number in 0..<20 {
            all.append(("n\(number)", try leftovers(kind, Self.places[number % 3], "n\(number)")))
            for (name, leftovers) in all.suffix(3) { use(leftovers, of: name) }
        }
        for (name, leftovers) in all { use(leftovers, of: name) }
    }

    @Test(arguments: LazyPart.Kind.allCases)
    func leftoversOfAFailedCallReadWhatTheyStoodFor(kind: LazyPart.Kind) throws {
        for place in Self.places {
            let shelf = Shelf()
            let early = try LazyReader.graph(kind, place, "early")
            let broken = try Flat.record("LazyReader/broken")
            let roots = try [Record.ID("LazyReader/early"), broken.id]
            let graph = try RecordGraph(Array(early) + [broken], roots: roots)
            LazyPart.$kind.withValue(kind) {
                LazyPart.$shelf.withValue(shelf) {
                    #expect(throws: DecodingError.self) {
                        try RecordDecoder().decodeAll(LazyReader.self, from: graph)
                    }
                }
            }
            let left = shelf.clear()
            #expect(left.count == 1)
            #expect(try text(kind, LazyReader.graph(kind, place, "now")) == "now")
            use(left, of: "early")
        }
    }

    @Test func leftoversAreReadInsideOfLaterCalls() throws {
        struct Meddler: RecordDecodable {
            @TaskLocal static var meddle: @Sendable () -> Void = {}
            static var recordType: String { "Meddler" }
            var recordName: String { "m" }
            var first: [Int]
            var last: [String: [Int]]
            enum CodingKeys: CodingKey { case first, last }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                first = try container.decode([Int].self, forKey: .first)
                Self.meddle()
                last = try container.decode([String: [Int]].self, forKey: .last)
                Self.meddle()
            }
        }
        let record = try Flat.record(
            "Meddler/m", ["last": .map(["a": .list([.int(3)])]), "first": .list([.int(1), .int(2)])])
        let graph = try RecordGraph([record])
        for kind in LazyPart.Kind.allCases {
            for place in Self.places {
                // It is used on this thread alone.
                nonisolated(unsafe) let left = try leftovers(kind, place, "early")
                let meddler = try Meddler.$meddle.withValue({ use(left, of: "early") }) {
                    try RecordDecoder().decode(Meddler.self, from: graph)
                }
                #expect(meddler.first == [1, 2] && meddler.last == ["a": [3]])
            }
        }
    }
}

extension Result where Success == String {
    /// The success, or what went wrong.
    fileprivate var text: String {
        switch self {
        case .success(let text): text
        case .failure(let error): "\(error)"
        }
    }
}
