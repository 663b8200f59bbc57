import Foundation
import NestedRecords
import TestSupport
import Testing

/// Queries by key paths.
@Suite struct QueryTests {
    enum Level: String, Codable, Sendable { case primary, secondary }

    struct Address: Codable, Equatable, Sendable {
        var street: String
        var city: City?

        struct City: Codable, Equatable, Sendable { var name = "Inverie" }
    }

    struct Person: RecordCodable, Identifiable, Equatable, Sendable {
        var id: String
        var name: String
        var age: Int?
        var mentor: [Person] = []
    }

    struct Campus: RecordCodable, Identifiable, Equatable, Sendable {
        static let schema = RecordSchema(ignoring: ["secret"], locations: ["spot"])

        var id: Int
        var name: String
        var founded: Date
        var level = Level.primary
        var address: Address
        var second: Address?
        var director: Person
        var deputy: Person?
        var pupils: [Person] = []
        var tags: [String] = []
        var spot: String?
        var place: Location
        var postalCode = "A"
        var secret: String?
        var fees = Decimal(10)
    }

    struct Renamed: RecordCodable, Identifiable {
        var id: Int
        var title: String
        var other: String

        enum CodingKeys: String, CodingKey { case id, title = "name", other }
    }

    struct Swapped: RecordCodable, Identifiable {
        var id: Int
        var a: String
        var b: String

        enum CodingKeys: String, CodingKey { case id, a = "b", b = "a" }
    }

    struct Wrapped: RecordCodable {
        @RecordName var id: Int
        @ExplicitNull var note: String?
        var text: String

        var computed: Int { text.count }

        static let noteField = QueryField<Wrapped, String?>("note")
    }

    private func makeCampuses() throws -> [Campus] {
        let people = (0..<5).map {
            Person(id: "p\($0)", name: ["Ada", "Bo", "Cy", "Di", "Ed"][$0], age: $0 == 2 ? nil : 30 + $0)
        }
        return try (0..<8).map { number in
            try Campus(
                id: number, name: "Campus \(9 - number)", founded: Date(timeIntervalSinceReferenceDate: Double(number)),
                level: number % 2 == 0 ? .primary : .secondary,
                address: Address(street: "Road \(number)", city: number == 3 ? nil : Address.City()),
                second: number < 2 ? Address(street: "Lane", city: Address.City(name: "Mallaig")) : nil,
                director: people[number % 5], deputy: number < 4 ? people[4 - number] : nil,
                pupils: [people[number % 2]], tags: number % 3 == 0 ? ["old", "big"] : [],
                spot: number == 1 ? "57.05;-5.13" : nil, place: Location(latitude: Double(number), longitude: 0),
                secret: "s", fees: Decimal(number))
        }
    }

    private func makeDatabase(_ encoder: RecordEncoder = RecordEncoder()) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        try await database.values(coding: encoder.coding).overwrite(makeCampuses())
        return database
    }

    /// Filters, with closures that say the same.
    private static let filters: [(filter: QueryFilter<Campus>, isTrue: @Sendable (Campus) -> Bool)] = [
        (QueryFilter { $0.name == "Campus 5" }, { $0.name == "Campus 5" }),
        (QueryFilter { $0.name != "Campus 5" }, { $0.name != "Campus 5" }),
        (QueryFilter { $0.id < 3 }, { $0.id < 3 }),
        (QueryFilter { $0.id >= 3 && $0.id <= 5 }, { (3...5).contains($0.id) }),
        (QueryFilter { $0.founded > Date(timeIntervalSinceReferenceDate: 4) }, { $0.id > 4 }),
        (QueryFilter { $0.level == .secondary }, { $0.level == .secondary }),
        (QueryFilter { $0.address.street == "Road 2" }, { $0.id == 2 }),
        (QueryFilter { $0.address.city == nil }, { $0.address.city == nil }),
        (QueryFilter { $0.second == nil }, { $0.second == nil }),
        (QueryFilter { $0.second != nil }, { $0.second != nil }),
        (QueryFilter { $0.second.street == "Lane" }, { $0.second?.street == "Lane" }),
        (QueryFilter { $0.second.city.name == "Mallaig" }, { $0.second?.city?.name == "Mallaig" }),
        (QueryFilter { $0.address.city.name != "Inverie" }, { $0.address.city?.name != "Inverie" }),
        (QueryFilter { $0.director.name == "Ada" }, { $0.director.name == "Ada" }),
        (QueryFilter { $0.deputy.name == "Bo" }, { $0.deputy?.name == "Bo" }),
        (QueryFilter { $0.deputy == nil }, { $0.deputy == nil }),
        (QueryFilter { $0.director.age > 32 }, { ($0.director.age ?? 0) > 32 }),
        (QueryFilter { $0.director == Person(id: "p1", name: "", age: nil) }, { $0.director.id == "p1" }),
        (QueryFilter { $0.tags.contains("big") }, { $0.tags.contains("big") }),
        (QueryFilter { !$0.tags.contains("big") }, { !$0.tags.contains("big") }),
        (QueryFilter { $0.pupils.contains(Person(id: "p0", name: "")) }, { $0.pupils.contains { $0.id == "p0" } }),
        (QueryFilter { $0.id.isAny(of: [1, 5, 9]) }, { [1, 5].contains($0.id) }),
        (QueryFilter { $0.level.isAny(of: [.primary]) }, { $0.level == .primary }),
        (QueryFilter { $0.name.hasPrefix("Campus") }, { _ in true }),
        (QueryFilter { $0.name.containsText("PUS 4", ignoring: .case) }, { $0.id == 5 }),
        (QueryFilter { $0.spot == "57.05;-5.13" }, { $0.spot != nil }),
        (QueryFilter { $0.place.latitude >= 6 }, { $0.id >= 6 }),
        (
            QueryFilter { $0.place.isNear(Location(clampingLatitude: 3, longitude: 0), metres: 120_000) },
            { (2...4).contains($0.id) }
        ),
        (
            QueryFilter {
                $0.place.isWithin(
                    southWest: Location(clampingLatitude: 1, longitude: -1),
                    northEast: Location(clampingLatitude: 2, longitude: 1))
            }, { (1...2).contains($0.id) }
        ),
        (QueryFilter { $0.fees > 5 }, { $0.fees > 5 }),
        (QueryFilter { $0.postalCode == "A" || $0.id == 1 }, { _ in true }),
        (QueryFilter { _ in }, { _ in true }),
        (QueryFilter { _ in RecordFilter.any([]) }, { _ in false }),
    ]

    private static let embedded = ["second is null", "second exists", "city is null"]

    @Test(arguments: [false, true], [false, true])
    func filtersSayWhatClosuresSay(isSnakeCase: Bool, isFlat: Bool) async throws {
        var encoder = RecordEncoder()
        if isSnakeCase { encoder.coding.keyStrategy = .snakeCase }
        if isFlat { encoder.coding.embeddingStrategy = .flattened() }
        var decoder = RecordDecoder()
        decoder.coding.keyStrategy = encoder.coding.keyStrategy
        decoder.coding.embeddingStrategy = encoder.coding.embeddingStrategy
        let database = try await makeDatabase(encoder)
        let campuses = try makeCampuses()
        for (filter, isTrue) in Self.filters {
            let query = database.values(coding: decoder.coding).query(Campus.self).filter { _ in filter }
            // A value that is flattened has no field of its own.
            if isFlat, Self.embedded.contains(where: { filter.description.contains($0) }) {
                let error = await #expect(throws: RecordError.self) {
                    try await query.all()
                }
                #expect(error?.code == .unknownField)
                continue
            }
            let found = try await query.all()
            #expect(found.map(\.id) == campuses.filter(isTrue).map(\.id), "\(filter)")
        }
    }

    @Test func valuesComeInOrderAndInPages() async throws {
        let database = try await makeDatabase()
        let query = database.values.query(Campus.self).filter { $0.id > 0 }.sorted(descending: true) { $0.level }.sorted
        { $0.name }.limit(3)
        let page = try await query.page()
        #expect(page.values.map(\.id) == [7, 5, 3] && page.examinedCount == 8)
        let next = try await query.after(page.next).page()
        #expect(next.values.map(\.id) == [1, 6, 4])
        #expect(try await query.after(next.next).all().map(\.id) == [2])
        var all: [Int] = []
        for try await campus in query.values() { all.append(campus.id) }
        #expect(all == [7, 5, 3, 1, 6, 4, 2])
        #expect(try await query.first()?.id == 7)
        #expect(try await query.count() == 7)
        #expect(try await query.filter { $0.id == 7 }.exists())
        #expect(try await !query.filter { $0.id == 0 }.exists())
        #expect(try await query.filter { $0.id == 0 }.first() == nil)
    }

    /// Reads a number alone too.
    private struct Price: Codable {
        var amount: Int

        init(amount: Int) { self.amount = amount }
        init(from decoder: any Decoder) throws {
            if let amount = try? decoder.singleValueContainer().decode(Int.self) {
                self.amount = amount
            } else {
                amount = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .amount)
            }
        }
    }

    private struct Ware: RecordCodable, Identifiable {
        var id: Int
        var price: Price
    }

    @Test func typeThatTriesASingleValueFirstIsFoundByItsKeys() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite([
            Ware(id: 1, price: Price(amount: 1)), Ware(id: 2, price: Price(amount: 2)),
        ])
        #expect(try await database.values.query(Ware.self).filter { $0.price.amount == 2 }.all().map(\.id) == [2])
    }

    @Test func fieldsThatAreNotCertainAreRefused() async throws {
        let database = InMemoryRecordDatabase()
        func refusal<Model: RecordDecodable>(_ filter: QueryFilter<Model>) async -> String {
            let error = await #expect(throws: RecordError.self) {
                try await database.values.query(Model.self).filter { _ in filter }.all()
            }
            #expect(error?.code == .unknownField)
            return error?.description ?? ""
        }
        var text = await refusal(QueryFilter<Renamed> { $0.title == "x" })
        #expect(text.contains("Renamed has no coding key for 'title', so it may rename properties"))
        #expect(text.contains(#"$0.field("name", as: String.self)"#))
        text = await refusal(QueryFilter<Renamed> { $0.other == "x" })
        #expect(text.contains("so it may rename properties"))
        text = await refusal(QueryFilter<Swapped> { $0.a == "x" })
        #expect(text.contains("so it may rename properties"))
        text = await refusal(QueryFilter<Wrapped> { $0.computed == 1 })
        #expect(text.contains("the Int property of Wrapped is not stored under its name: it is computed"))
        #expect(text.contains(#"('id' is $0.recordName, 'note' is $0.field("note", as: Optional<String>.self))"#))
        text = await refusal(QueryFilter<Campus> { $0.secret == "s" })
        #expect(text.contains("'secret' is an ignored property of Campus"))
        text = await refusal(QueryFilter<Campus> { $0.tags.count == 1 })
        #expect(text.contains("'tags' is a list, and properties of a list or of its elements are no fields"))
        text = await refusal(QueryFilter<Campus> { $0.pupils[0].name == "x" })
        #expect(text.contains("'pupils' is a list"))
        text = await refusal(QueryFilter<Campus> { $0.name.contains("x") })
        #expect(text.contains("a property of the type String has no elements; 'containsText' finds a part of a string"))
        text = await refusal(QueryFilter<Campus> { $0.fees.contains(1) })
        #expect(text.contains("a property of the type Decimal has no elements"))
        text = await refusal(QueryFilter<Campus> { $0.spot.contains("x") })
        #expect(text.contains("has no elements; 'containsText'"))
        let error = await #expect(throws: RecordError.self) {
            try await database.values.query(Campus.self).sorted { $0.director.name }.all()
        }
        #expect(error?.code == .unknownField)
    }

    @Test func typeWithWrappersHasFieldsForItsOtherProperties() async throws {
        struct Visit: RecordCodable, Identifiable {
            @RecordName var id: String
            var place: String
            @ServerTimestamp var date: Date?
            static let recordType = "QueriedVisit"
        }
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite([Visit(id: "a", place: "Leith"), Visit(id: "b", place: "Wick")])
        #expect(try await database.values.query(Visit.self).filter { $0.place > "M" }.all().map(\.id) == ["b"])
    }

    private class Boat: RecordCodable, Identifiable {
        let id: String
        final let name: String
        class var recordType: String { "QueriedBoat" }

        init(_ id: String, _ name: String) { (self.id, self.name) = (id, name) }
    }

    private final class Ferry: Boat {
        override class var recordType: String { "QueriedFerry" }
    }

    private struct Captain: RecordCodable, Identifiable {
        var id: String
        var boat: Boat?
        static let recordType = "QueriedCaptain"
    }

    @Test func keyPathThroughAClassFindsRecordsOfRegisteredSubclasses() async throws {
        let database = InMemoryRecordDatabase()
        for (id, boat) in [("a", Ferry("f", "Tern")), ("b", Ferry("g", "Gull")), ("c", Boat("h", "Tern"))] {
            try await database.save(RecordEncoder().encode(Captain(id: id, boat: boat)))
        }
        var decoder = RecordDecoder()
        decoder.coding.register(Ferry.self)
        func find() async throws -> [String] {
            let query = database.values(coding: decoder.coding).query(Captain.self).filter { $0.boat.name == "Tern" }
            return try await query.all().map(\.id)
        }
        #expect(try await find() == ["a", "c"])
        decoder.coding.register(fallback: Boat.self)
        let error = await #expect(throws: RecordError.self) {
            try await find()
        }
        #expect(error?.code == .unknownField)
    }

    @Test func instanceHasTheIDThatItsOwnClassGivesIt() throws {
        let boats = [Boat("a", "Tern"), Ferry("b", "Gull")]
        #expect(try boats.map { try Record.ID(of: $0).description } == ["QueriedBoat/a", "QueriedFerry/b"])
    }

    @Test func declaredFieldIsTakenAsItIs() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite([
            Wrapped(id: 1, note: nil, text: "a"), Wrapped(id: 2, note: "b", text: "b"),
            Wrapped(id: 3, note: "c", text: "c"),
        ])
        let query = database.values.query(Wrapped.self).sorted(descending: true) { _ in Wrapped.noteField }
        #expect(try await query.filter { _ in Wrapped.noteField > "a" }.all().map(\.id) == [3, 2])
        #expect(try await query.filter { _ in Wrapped.noteField == nil }.all().map(\.id) == [1])
        #expect(try await query.filter { _ in Wrapped.noteField.hasPrefix("b") }.all().map(\.id) == [2])
    }

    @Test func filterOfTooManyTermsIsRefusedHoweverItIsNested() async throws {
        let database = try await makeDatabase()
        let filters = try await inThreadWithSmallStack { () -> [QueryFilter<Campus>] in
            var chain = QueryFilter<Campus> { $0.id == 0 }
            var other = chain
            for number in 1..<Sweep.count(3_000, whole: 10_000) {
                let next = QueryFilter<Campus> { $0.id == number }
                chain = number.isMultiple(of: 2) ? chain || next : chain && next
                other = !other
            }
            _ = try database.values.query(Campus.self).filter { _ in chain }.filter { _ in other }.recordQuery()
            return [chain, other]
        }
        for filter in filters {
            let error = await #expect(throws: RecordError.self) {
                try await database.values.query(Campus.self).filter { _ in filter }.all()
            }
            #expect(error?.code == .filterTooLarge)
        }
    }

    @Test func manyTermsAreCombinedInTheirOrder() async throws {
        let database = try await makeDatabase()
        let none = QueryFilter<Campus> { _ in RecordFilter.any([]) }
        let filter = QueryFilter<Campus> { !($0.id < 3 || $0.id == 5 && !($0.id > 6)) && ($0.id != 7 || none) }
        #expect(filter.description == "not (id < 3 or (id = 5 and not id > 6)) and (id != 7 or false)")
        #expect(try await database.values.query(Campus.self).filter { _ in filter }.all().map(\.id) == [3, 4, 6])
    }

    @Test func limitOfZeroGivesNoValuesInEveryCall() async throws {
        let database = try await makeDatabase()
        let query = database.values.query(Campus.self).sorted { $0.name }.limit(0)
        #expect(try await query.all().isEmpty)
        let page = try await query.page()
        #expect(page.isEmpty && page.next == nil)
        #expect(try await query.first() == nil)
        for try await campus in query.values() { Issue.record("\(campus)") }
        for try await snapshot in query.live() {
            #expect(try snapshot.value.isEmpty)
            break
        }
        try await database.values.transaction { transaction in
            try await transaction.overwrite(Person(id: "z", name: "Zoe"))
            #expect(try await transaction.query(Person.self).limit(0).all().isEmpty)
            #expect(try await transaction.query(Person.self).limit(.max).all().count == 6)
        }
        // Not a matter of pages.
        #expect(try await query.count() == 8)
        #expect(try await query.exists())
    }

    @Test func negativeLimitIsAnErrorInEveryCall() async throws {
        let query = try await makeDatabase().values.query(Campus.self).limit(-1)
        for read in [
            { _ = try await query.all() }, { _ = try await query.page() }, { _ = try await query.first() },
            { _ = try await query.count() }, { _ = try await query.exists() }, { _ = try await query.explanation() },
            { for try await _ in query.values() {} }, { for try await _ in query.live() {} },
            { _ = try await query.sum { $0.id } }, { _ = try await query.min { $0.id } },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: RecordError.self) { try await read() }
            #expect(error?.code == .invalidLimit)
        }
    }

    @Test func locationOfAnEmbeddedValueIsFoundAndChanged() async throws {
        struct Stop: Codable, Equatable { var position: String? }
        struct Tour: RecordCodable, Identifiable {
            var id: Int
            var stop: Stop
            var others: [Stop] = []
            static let recordType = "QueriedTour"
            static let schema = RecordSchema(locations: ["stop.position", "others.position"])
        }
        let store = InMemoryRecordDatabase().values
        try await store.overwrite([Tour(id: 1, stop: Stop(position: "1.5;2.5")), Tour(id: 2, stop: Stop())])
        #expect(try await store.query(Tour.self).filter { $0.stop.position == "1.5;2.5" }.all().map(\.id) == [1])
        try await store.change(Tour.self, named: 2) {
            $0.stop.set(Stop(position: "3.5;4.5"))
            $0.others.append(Stop(position: "5.5;6.5"))
        }
        try await store.change(Tour.self, named: 1) { $0.stop.position.set("7.5;8.5") }
        #expect(try await store.query(Tour.self).filter { $0.stop.position == "3.5;4.5" }.all().map(\.id) == [2])
        #expect(try await store.query(Tour.self).filter { $0.stop == Stop(position: "7.5;8.5") }.all().map(\.id) == [1])
        let record = try #require(try await store.database.record(for: Record.ID(of: Tour.self, named: 2)))
        let location = try Record.Value.location(Location("5.5;6.5"))
        #expect(record["others"] == .list([.map(["position": location])]))
    }

    @Test func recordThatCannotBeDecodedFailsAQueryOrIsLeftOutAndReported() async throws {
        let database = try await makeDatabase()
        try await database.set("level", of: "Campus/4", to: "tertiary")
        let query = database.values.query(Campus.self).filter { $0.id >= 3 }
        await #expect(throws: DecodingError.self) { try await query.page() }
        await #expect(throws: DecodingError.self) { try await query.all() }
        await #expect(throws: DecodingError.self) { for try await _ in query.values() {} }
        await #expect(throws: DecodingError.self) { for try await page in query.live() { _ = try page.value } }

        let reported = Locked<[String]>([])
        let lenient = database.values.skippingMalformedRecords { id, error in
            #expect(error is DecodingError)
            reported.withLock { $0.append("\(id)") }
        }
        let rest = lenient.query(Campus.self).filter { $0.id >= 3 }
        #expect(try await rest.page().map(\.id) == [3, 5, 6, 7])
        #expect(try await rest.all().map(\.id) == [3, 5, 6, 7])
        var listed: [Int] = []
        for try await campus in rest.limit(1).values() { listed.append(campus.id) }
        #expect(listed == [3, 5, 6, 7])
        #expect(try await rest.filter { $0.id > 3 }.first()?.id == 5)
        for try await page in rest.live() {
            #expect(try page.value.map(\.id) == [3, 5, 6, 7])
            break
        }
        #expect(reported.withLock { $0 } == Array(repeating: "Campus/4", count: 5))
    }

    @Test func listOfNamesOrLinksLeavesOutRecordsThatCannotBeDecoded() async throws {
        let database = try await makeDatabase()
        try await database.set("level", of: "Campus/4", to: "tertiary")
        let model = await MainActor.run { FailureModel() }
        let lenient = database.values.skippingMalformedRecords { @MainActor id, _ in model.failures.append("\(id)") }
        #expect(try await lenient.fetch(Campus.self, named: [5, 4, 3]).map(\.id) == [5, 3])
        let links = try [4, 6].map { try RecordLink<Campus>(named: $0) }
        #expect(try await lenient.fetch(links).map(\.id) == [6])
        #expect(try await lenient.query(Campus.self).filter { $0.id >= 3 && $0.id < 6 }.all().map(\.id) == [3, 5])
        #expect(await model.failures == Array(repeating: "Campus/4", count: 3))
        await #expect(throws: DecodingError.self) { try await database.values.fetch(Campus.self, named: [5, 4]) }
        // A missing record is an error, and so is a single one that was asked for by its name.
        let missing = await #expect(throws: RecordError.self) { try await lenient.fetch(Campus.self, named: [5, 99]) }
        #expect(missing?.code == .recordNotFound)
        await #expect(throws: DecodingError.self) { try await lenient.fetch(Campus.self, named: 4) }
        await #expect(throws: DecodingError.self) { try await lenient.fetch(links[0]) }
        for try await campus in lenient.live(Campus.self, named: 4) {
            #expect(throws: DecodingError.self) { try campus.value }
            break
        }
        #expect(await model.failures.count == 3)
    }

    @MainActor private final class FailureModel {
        var failures: [String] = []
    }
}

@Suite struct PageCallTests {
    private struct City: RecordCodable, Identifiable {
        var id: Int
    }

    private struct Author: RecordCodable, Identifiable {
        var id: Int
        var home: City
    }

    private struct Book: RecordCodable, Identifiable {
        var id: Int
        var title: String
        var authors: [Author]
    }

    /// Counts the calls that fetch or find records.
    private struct CountedDatabase: ForwardingDatabase {
        let base: InMemoryRecordDatabase
        let calls = Locked(0)

        func records(for ids: [Record.ID]) async throws -> [Record] {
            calls.withLock { $0 += 1 }
            return try await base.records(for: ids)
        }

        func storedRecords(ofType type: String?) -> RecordSequence {
            calls.withLock { $0 += 1 }
            return base.records(ofType: type)
        }

        func page(_ query: RecordQuery) async throws -> RecordPage {
            calls.withLock { $0 += 1 }
            return try await base.page(query)
        }
    }

    @Test func pageOfNestedValuesTakesOneCallAndOneForEachLevel() async throws {
        let database = CountedDatabase(base: InMemoryRecordDatabase())
        let books = (0..<1_000).map { number in
            Book(
                id: number, title: "\(number % 100)",
                authors: (0..<3).map { Author(id: number + $0, home: City(id: (number + $0) % 50)) })
        }
        try await database.values.overwrite(books)
        let query = database.values.query(Book.self).filter { $0.title >= "5" }.sorted { $0.title }.limit(20)
        // The first time teaches which fields lead to records.
        _ = try await query.page()
        database.calls.withLock { $0 = 0 }
        let page = try await query.page()
        #expect(page.values.count == 20 && page.values.allSatisfy { $0.authors.count == 3 })
        // Books; their authors; the cities of these.
        #expect(database.calls.withLock { $0 } == 3)
    }

    @Test(arguments: [nil, 250]) func pagesOfValuesWithoutALimitGrow(_ limit: Int?) async throws {
        let database = CountedDatabase(base: InMemoryRecordDatabase())
        try await database.base.values.overwrite((0..<1_000).map { City(id: $0) })
        var ids: [Int] = []
        let query = database.values.query(City.self).sorted { $0.id }.limit(limit)
        for try await city in query.values() { ids.append(city.id) }
        #expect(ids == Array(0..<1_000))
        // Of 100, 200, 400 and 300 values, or four of 250.
        #expect(database.calls.withLock { $0 } == 4)
    }
}
