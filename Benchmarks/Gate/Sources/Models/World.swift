public import NestedRecords

// The places of the world, as the data set `world.json` nests them; `id` is unique only within a type.

/// The root.
public struct Planet: RecordCodable, Identifiable, Equatable, Sendable {
    /// Its name in the data set.
    public var id: String
    var name: String
    var regions: [Region]
}

struct Region: RecordCodable, Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var translations: [String: String]
    var subregions: [Subregion]
}

struct Subregion: RecordCodable, Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var translations: [String: String]
    var countries: [Country]
}

struct TimeZone: Codable, Equatable, Sendable {
    var name: String
    var gmtOffset: Int
    var abbreviation: String
}

struct Country: RecordCodable, Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var iso2, iso3, phoneCode: String
    var capital: String?
    var currency: String
    var native: String?
    var population: Int?
    var areaSqKm: Double?
    var location: Location?
    var emoji: String
    var timezones: [TimeZone]
    var translations: [String: String]
    var states: [State]
}

struct State: RecordCodable, Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var code, type: String?
    var location: Location?
    var timezone: String?
    var cities: [City]
}

struct City: RecordCodable, Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var type, native: String?
    var location: Location?
    var population: Int?
    var timezone, updatedAt, wikiDataId: String?
}
