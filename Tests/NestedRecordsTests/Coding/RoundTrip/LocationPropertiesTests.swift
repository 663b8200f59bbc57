import NestedRecords
import TestSupport
import Testing

@Suite struct LocationPropertiesTests {
    struct Place: RecordCodable, Equatable {
        var recordName: String { "place" }
        var text: String
        var list: [String] = []
        var optional: String?
        var mixed: [String?] = []
        var free = "1.5;2.5"
        var freeList = ["1.5;2.5", ";"]
        static let schema = RecordSchema(locations: ["text", "list", "optional", "mixed"])
    }

    @Test func textsAreStoredAsLocationsAndReadBackAsTexts() async throws {
        let place = Place(
            text: "52.37;4.89", list: ["1.5;2.5", "-90.0;180.0"], optional: "0.0;-0.0", mixed: [nil, "1.0;2.0"])
        let graph = try RecordEncoder().encode(place)
        let location = try Record.Value.location(Location("52.37;4.89"))
        #expect(graph[0]["text"] == location)
        #expect(try graph[0]["list"] == .list([.location(Location("1.5;2.5")), .location(Location("-90.0;180.0"))]))
        #expect(try graph[0]["mixed"] == .list([.null, .location(Location("1.0;2.0"))]))
        try await RoundTripCheck()(place)
    }

    @Test func textsOfOtherPropertiesStayTexts() throws {
        let record = try RecordEncoder().encode(Place(text: "1.5;2.5"))[0]
        #expect(record["free"] == .string("1.5;2.5"))
        #expect(record["freeList"] == .list([.string("1.5;2.5"), .string(";")]))
        #expect(record["optional"] == nil)
        #expect(record["list"] == .list([]))
    }

    static let invalid = [
        "12;", ";", "", "1;2;3", "Hello; world", "1.5; 2.5", "91.0;0.0", "0.0;-180.5", "nan;0.0", "0x1p0;1.0",
        "1.5;2.5\n", "1,5;2,5", "inf;0.0",
    ]

    static let otherSpellings = [
        "41.40;2.17", "-3;4", "41.4;+2.1", "+1.5;2.5", "1;2", "1e0;2.0", "-0;0", "007;.5", "42.123456789012345678;1.0",
    ]

    @Test(arguments: otherSpellings)
    func locationInAnotherSpellingReadsBackAsItWas(text: String) async throws {
        let place = Place(text: text, list: ["1.5;2.5", text])
        #expect(try RecordEncoder().encode(place)[0]["text"] == .string(text))
        try await RoundTripCheck()(place)
    }

    /// A record whose embedded values have properties with the names of locations.
    struct Trip: RecordCodable, Equatable {
        struct Stop: Codable, Equatable { var place: String }

        var recordName: String { "trip" }
        var place: String
        var stop: Stop
        static let schema = RecordSchema(locations: ["place"])
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func propertyOfAnEmbeddedValueIsNotALocationOfTheRecord(strategy: EmbeddingStrategy) throws {
        let (encoder, decoder) = coders(strategy)
        let trip = Trip(place: "1.5;2.5", stop: Trip.Stop(place: "Oslo"))
        let graph = try encoder.encode(trip)
        #expect(try graph[0]["place"] == .location(Location("1.5;2.5")))
        #expect(try decoder.decode(Trip.self, from: graph) == trip)
    }

    /// A record with locations in embedded values.
    struct Tour: RecordCodable, Equatable {
        struct Stop: Codable, Equatable {
            var gpsPosition: String?
            var name = "1.5;2.5"
            var camp: Camp?
        }

        struct Camp: Codable, Equatable { var spots: [String] }

        var recordName: String { "tour" }
        var start: Stop
        var stops: [Stop] = []
        var end: Stop?
        static let schema = RecordSchema(
            locations: [
                "start.gpsPosition", "start.camp.spots", "stops.gpsPosition", "stops.camp.spots", "end.gpsPosition",
            ])
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()], [false, true])
    func locationsOfEmbeddedValuesAreNamedByPaths(strategy: EmbeddingStrategy, isSnakeCase: Bool) async throws {
        var coding = RecordCoding()
        coding.embeddingStrategy = strategy
        if isSnakeCase { coding.keyStrategy = .snakeCase }
        let (text, camp) = ("1.5;2.5", Tour.Camp(spots: ["3.0;4.0", "007;5"]))
        let tour = Tour(
            start: Tour.Stop(gpsPosition: text, camp: camp),
            stops: [Tour.Stop(gpsPosition: "-1.0;0.0", camp: camp), Tour.Stop()])
        let graph = try RecordEncoder(coding).encode(tour)
        #expect(try RecordDecoder(coding).decode(Tour.self, from: graph) == tour)
        let position = isSnakeCase ? "gps_position" : "gpsPosition"
        let location = try Record.Value.location(Location(text))
        let spots = try Record.Value.list([.location(Location("3.0;4.0")), "007;5"])
        func value(_ path: String...) -> Record.Value? {
            FieldPath(strategy == .map ? path : [path.joined(separator: "_")]).value(in: graph[0])
        }
        #expect(value("start", position) == location)
        #expect(value("start", "name") == .string(text))
        #expect(value("start", "camp", "spots") == spots)
        let first: Record.Fields = try [
            position: .location(Location("-1.0;0.0")), "name": .string(text), "camp": .map(["spots": spots]),
        ]
        #expect(graph[0]["stops"] == .list([.map(first), .map(["name": .string(text)])]))
    }

    @Test func embeddedTextThatIsNotALocationIsNotWritten() throws {
        let error = #expect(throws: EncodingError.self) {
            try RecordEncoder().encode(Tour(start: Tour.Stop(gpsPosition: "nowhere")))
        }
        #expect(CodingFailure(error)?.place == "Tour/tour, field 'start'")
        guard case .invalidValue(let value, let context) = error else { return }
        #expect(value as? String == "nowhere")
        #expect(context.debugDescription.contains("'nowhere'"))
    }

    struct Misspelled: RecordCodable {
        var recordName: String { "misspelled" }
        var start = Tour.Stop()
        static let schema = RecordSchema(locations: ["start.position"])
    }

    struct Inside: RecordCodable {
        var recordName: String { "inside" }
        var trip: Trip
        static let schema = RecordSchema(locations: ["trip.place"])
    }

    @Test func pathOfALocationMustLeadToAnEmbeddedProperty() {
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Misspelled()) }
        #expect(error?.code == .invalidSchema)
        #expect(error?.description.contains("'start.position': 'position' is not a coding key of Stop") == true)
        let other = #expect(throws: RecordError.self) {
            try RecordEncoder().encode(Inside(trip: Trip(place: "1.5;2.5", stop: Trip.Stop(place: ""))))
        }
        #expect(other?.description.contains("Trip has records of its own, so state it in its schema") == true)
    }

    @Test(arguments: invalid) func stringThatIsNotALocationIsNotWritten(text: String) throws {
        for place in [Place(text: text), Place(text: "1.5;2.5", list: ["1.5;2.5", text])] {
            let error = #expect(throws: EncodingError.self) { try RecordEncoder().encode(place) }
            let field = place.list.isEmpty ? "text" : "list"
            #expect(CodingFailure(error)?.path.hasPrefix(field) == true)
            #expect(CodingFailure(error)?.place == "Place/place, field '\(field)'")
            guard case .invalidValue(let value, let context) = error else { continue }
            #expect(value as? String == text)
            #expect(context.debugDescription.contains("'\(text)'"))
        }
    }

    struct Numbers: RecordCodable {
        var recordName: String { "numbers" }
        var place = 1
        static let schema = RecordSchema(locations: ["place"])
    }

    @Test func locationPropertyMustHoldTexts() throws {
        #expect(
            CodingFailure.of { try RecordEncoder().encode(Numbers()) }
                == CodingFailure(.invalidValue, "place", "Numbers/numbers, field 'place'"))
    }

    struct ByHand: RecordCodable, Equatable {
        var recordName: String { "hand" }
        var places: [String]
        static let schema = RecordSchema(locations: ["places"])
        enum CodingKeys: CodingKey { case places }

        init(places: [String]) { self.places = places }
        init(from decoder: any Decoder) throws {
            var list = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .places)
            places = []
            while !list.isAtEnd { places.append(try list.decode(String.self)) }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var list = container.nestedUnkeyedContainer(forKey: .places)
            for place in places { try list.encode(place) }
        }
    }

    @Test func listWrittenByHandIsStoredAsLocations() async throws {
        let value = ByHand(places: ["1.5;2.5"])
        #expect(try RecordEncoder().encode(value)[0]["places"] == .list([.location(Location("1.5;2.5"))]))
        try await RoundTripCheck()(value)
    }

    /// Writes another text after the first was refused.
    struct SecondTry: RecordEncodable {
        static var schema: RecordSchema { RecordSchema(locations: ["position"]) }
        var recordName: String { "place" }
        enum CodingKeys: CodingKey { case position }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            do {
                try container.encode("nowhere", forKey: .position)
            } catch {
                try container.encode("0.0;0.0", forKey: .position)
            }
        }
    }

    @Test func secondTryThrowsTheFirstError() throws {
        let error = #expect(throws: EncodingError.self) { try RecordEncoder().encode(SecondTry()) }
        #expect(CodingFailure(error)?.path == "position")
        #expect(CodingFailure(error)?.place.hasPrefix("SecondTry/place") == true)
        guard case .invalidValue(let value, _) = error else { return }
        #expect(value as? String == "nowhere")
    }

    @Test(arguments: invalid) func stringThatIsNotALocationIsNotRead(text: String) throws {
        let graph = try RecordGraph([Flat.record("Holder/holder", ["value": .list([.string(text)])])])
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Holder<[Location]>.self, from: graph) }
                == CodingFailure(.dataCorrupted, "value.0", "Holder/holder, field 'value'"))
    }
}
