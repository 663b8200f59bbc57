import Foundation
import NestedRecords
import TestSupport
import Testing

/// Key paths to properties with wrappers, which have no name.
@Suite struct WrappedPropertyTests {
    enum Level: String, Codable, Sendable { case low, high }

    enum Shape: Codable, Sendable, Equatable {
        case circle(radius: Double)
        case point
    }

    struct City: RecordCodable, Identifiable {
        @RecordName var id: UUID
        var name: String
        static let recordType = "WrappedCity"
    }

    struct PersonID: RawRepresentable, Codable, Hashable, RecordNameConvertible {
        var rawValue: UUID
    }

    /// Has a property of most kinds that a sample needs.
    struct Person: RecordCodable {
        @RecordName var id: Int
        var name: String
        var level: Level
        var shape: Shape
        var home: City
        var work: RecordLink<City>
        var site: URL
        var fee: Decimal
        var tags: Set<String> = []
        var notes: [String: [Int]] = [:]
        var place: Location
        var isActive = false
        @ExplicitNull var deputy: City?
        @ExplicitNull var motto: String?
        @ServerTimestamp var createdAt: Date?
        @ServerTimestamp var changedAt: Date?
        static let recordType = "WrappedPerson"

        /// Looks like a stored property with a wrapper.
        var shownDate: Date? {
            get { isActive ? createdAt : nil }
            set { createdAt = newValue }
        }
        var latest: Date? {
            get { changedAt ?? createdAt }
            set { changedAt = newValue }
        }
        var nextDay: Date? {
            get { createdAt.map { $0 + 86_400 } }
            set { createdAt = newValue }
        }
        var firstDate: Date? { fatalError("not called for a sample") }
    }

    final class Boat: RecordCodable {
        @RecordName var name: String
        @ServerTimestamp var built: Date?
        static let recordType = "WrappedBoat"

        init(name: String, built: Date?) { (self.name, self.built) = (name, built) }
    }

    struct Guarded: RecordCodable, Identifiable {
        struct Email: Codable {
            var text: String

            init(from decoder: any Decoder) throws {
                text = try decoder.singleValueContainer().decode(String.self)
                guard text.contains("@") else {
                    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no address"))
                }
            }
        }

        var id: String
        var email: Email
        @ServerTimestamp var createdAt: Date?
        static let recordType = "WrappedGuarded"
    }

    private static func filter<Model: RecordDecodable>(_ filter: QueryFilter<Model>) throws -> String {
        try InMemoryRecordDatabase().values.query(Model.self).filter(filter).recordQuery().filter?.description ?? ""
    }

    private static func refusal<Model: RecordDecodable>(_ filter: QueryFilter<Model>) -> String {
        let error = #expect(throws: RecordError.self) { try Self.filter(filter) }
        #expect(error?.code == .unknownField)
        return error?.description ?? ""
    }

    @Test func keyPathLeadsToTheFieldOfItsProperty() throws {
        #expect(try Self.filter(QueryFilter<Person> { $0.createdAt == nil }).hasPrefix("createdAt is null"))
        #expect(try Self.filter(QueryFilter<Person> { $0.changedAt != nil }).contains("changedAt exists"))
        #expect(try Self.filter(QueryFilter<Person> { $0.motto == "x" }) == "motto = \"x\"")
        #expect(try Self.filter(QueryFilter<Person> { $0.id == 7 }) == "@name = \"7\"")
        #expect(try Self.filter(QueryFilter<Person> { $0.id.isAny(of: [1, 2]) }).contains("@name"))
        let uuid = UUID()
        #expect(try Self.filter(QueryFilter<Person> { $0.home.id == uuid }).contains("@name = \"\(uuid)\""))
        #expect(try Self.filter(QueryFilter<Person> { $0.deputy.name == "x" }).contains("deputy"))
        #expect(try Self.filter(QueryFilter<Boat> { $0.name == "x" }) == "@name = \"x\"")
        #expect(try Self.filter(QueryFilter<Boat> { $0.built != nil }).contains("built exists"))
    }

    @Test func fieldHasTheNameThatTheStrategyGivesIt() throws {
        var coding = RecordCoding()
        coding.keyStrategy = .snakeCase
        let store = InMemoryRecordDatabase().values(coding: coding)
        #expect(try store.query(Person.self).sorted { $0.createdAt }.recordQuery().order == [RecordOrder("created_at")])
    }

    @Test func computedPropertyIsNotTakenForAWrappedOne() {
        for filter in [
            QueryFilter<Person> { $0.shownDate == nil }, QueryFilter<Person> { $0.latest == nil },
            QueryFilter<Person> { $0.nextDay == nil }, QueryFilter<Person> { $0.firstDate == nil },
        ] {
            #expect(Self.refusal(filter).contains("is not stored under its name: it is computed"))
        }
    }

    @Test func typeWithoutASampleNeedsTheFieldsName() async throws {
        let text = Self.refusal(QueryFilter<Guarded> { $0.createdAt == nil })
        #expect(text.contains(#"'createdAt' is $0.field("createdAt", as: Optional<Date>.self)"#))
    }

    @Test func namesThatAreNumbersHaveNoOrder() async throws {
        let query = InMemoryRecordDatabase().values.query(Person.self)
        #expect(Self.refusal(QueryFilter<Person> { $0.id < 7 }).contains("ordered as strings, 10 before 9"))
        let error = #expect(throws: RecordError.self) { try query.sorted { $0.id }.recordQuery() }
        #expect(error?.reason?.contains("use $0.recordName for this order") == true)
        #expect(try query.sorted { $0.recordName }.recordQuery().order == [RecordOrder(.recordName)])
    }

    @Test func nameOfAnotherRecordFiltersByItsName() async throws {
        let store = InMemoryRecordDatabase().values
        let cities = [City(id: UUID(), name: "Leith"), City(id: UUID(), name: "Wick")]
        let people = try cities.enumerated().map { number, city in
            Person(
                id: number, name: "P", level: .high, shape: .point, home: city, work: try RecordLink(to: city),
                site: try #require(URL(string: "https://example.com")), fee: 1,
                place: Location(clampingLatitude: 0, longitude: 0))
        }
        try await store.overwrite(people)
        let id = cities[1].id
        #expect(try await store.query(Person.self).filter { $0.home.id == id }.all().map(\.id) == [1])
        #expect(try await store.query(Person.self).filter { $0.id == 0 }.all().map(\.id) == [0])
        #expect(try await store.query(City.self).sorted { $0.id }.all().map(\.id).count == 2)
    }
}
