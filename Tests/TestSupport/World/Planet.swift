package import NestedRecords

// The shape of a published data set of places: the integers that identify them are unique only within their type.

package struct Planet: RecordCodable, Identifiable, Equatable, Sendable {
    package var id: String
    package var name: String
    package var regions: [Region]
}

package struct Region: RecordCodable, Identifiable, Equatable, Sendable {
    package var id: Int
    package var name: String
    package var translations: [String: String]
    package var subregions: [Subregion]
}

package struct Subregion: RecordCodable, Identifiable, Equatable, Sendable {
    package var id: Int
    package var name: String
    package var translations: [String: String]
    package var countries: [Country]
}

package struct Country: RecordCodable, Identifiable, Equatable, Sendable {
    package struct TimeZone: Codable, Equatable, Sendable {
        package var name: String
        package var gmtOffset: Int
        package var abbreviation: String
    }

    package var id: Int
    package var name: String
    package var iso2: String
    package var iso3: String
    package var phoneCode: String
    package var capital: String?
    package var currency: String
    package var native: String?
    package var population: Int?
    package var areaSqKm: Double?
    package var location: Location?
    package var emoji: String
    package var timezones: [TimeZone]
    package var translations: [String: String]
    package var states: [State]
}

package struct State: RecordCodable, Identifiable, Equatable, Sendable {
    package var id: Int
    package var name: String
    package var code: String?
    package var type: String?
    package var location: Location?
    package var timezone: String?
    package var cities: [City]
}

package struct City: RecordCodable, Identifiable, Equatable, Sendable {
    package var id: Int
    package var name: String
    package var type: String?
    package var native: String?
    package var location: Location?
    package var population: Int?
    package var timezone: String?
    package var updatedAt: String?
    package var wikiDataId: String?
}

extension Planet: CustomStringConvertible {
    /// Its ID alone: a test prints its arguments.
    package var description: String { id }
}
