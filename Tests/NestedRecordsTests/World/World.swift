import NestedRecords

// The shape of a published data set of places: the integers that identify them are unique only within their type.

struct Planet: RecordCodable, Identifiable, Equatable {
    var id: String
    var name: String
    var regions: [Region]
}

struct Region: RecordCodable, Identifiable, Equatable {
    var id: Int
    var name: String
    var translations: [String: String]
    var subregions: [Subregion]
}

struct Subregion: RecordCodable, Identifiable, Equatable {
    var id: Int
    var name: String
    var translations: [String: String]
    var countries: [Country]
}

struct Country: RecordCodable, Identifiable, Equatable {
    struct TimeZone: Codable, Equatable {
        var name: String
        var gmtOffset: Int
        var abbreviation: String
    }

    var id: Int
    var name: String
    var iso2: String
    var iso3: String
    var phoneCode: String
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

struct State: RecordCodable, Identifiable, Equatable {
    var id: Int
    var name: String
    var code: String?
    var type: String?
    var location: Location?
    var timezone: String?
    var cities: [City]
}

struct City: RecordCodable, Identifiable, Equatable {
    var id: Int
    var name: String
    var type: String?
    var native: String?
    var location: Location?
    var population: Int?
    var timezone: String?
    var updatedAt: String?
    var wikiDataId: String?
}
