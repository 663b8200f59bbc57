import NestedRecords

extension Planet {
    package static let levels = ["Planet", "Region", "Subregion", "Country", "State", "City"]

    /// How many records the planet is: a place in several others counts once.
    package var recordCount: Int {
        let subregions = regions.flatMap(\.subregions)
        let countries = subregions.flatMap(\.countries)
        let states = countries.flatMap(\.states)
        let cities = states.flatMap(\.cities)
        return 1
            + [regions.map(\.id), subregions.map(\.id), countries.map(\.id), states.map(\.id), cities.map(\.id)]
            .reduce(0) { $0 + Set($1).count }
    }

    /// A made-up planet: with scripts, absent facts, equal numbers on every level, and nothing in some places.
    package static let invented = Planet(
        id: "water", name: "Waterworld",
        regions: [
            Region(id: 1, name: "North", translations: [:], subregions: [Subregion(id: 1, countries: [island, rock])]),
            Region(id: 2, name: "Süden", translations: ["de": "Süden"], subregions: []),
            Region(id: 3, name: "", translations: ["": ""], subregions: [Subregion(id: 2, countries: [])]),
        ])

    private static let island = Country(
        id: 1, name: "Island", iso2: "IX", iso3: "IXX", phoneCode: "+0", capital: "Port", currency: "SHL",
        native: "إيلاند", population: nil, areaSqKm: 2, location: try? Location("-12.5;170.25"), emoji: "🏝️",
        timezones: [Country.TimeZone(name: "Sea/North", gmtOffset: 43_200, abbreviation: "SN")],
        translations: ["fr": "Île", "ja": "島"], states: [.bay, .empty])

    private static let rock = Country(
        id: 2, name: "1.5;2.5", iso2: "", iso3: "", phoneCode: "", capital: nil, currency: "", native: nil,
        population: .max, areaSqKm: -0.0, location: nil, emoji: "", timezones: [], translations: ["$ref": "City/1"],
        states: [])
}

extension Subregion {
    fileprivate init(id: Int, countries: [Country]) {
        self.init(id: id, name: "Subregion \(id)", translations: ["e\u{301}": "é"], countries: countries)
    }
}

extension State {
    fileprivate static let bay = State(
        id: 1, name: "Bay", code: "01", type: nil, location: try? Location("0;-180"), timezone: "Sea/North",
        cities: [
            City(id: 1, name: "Port", population: 0, updatedAt: "2001-02-03T04:05:06Z", wikiDataId: "Q0"),
            City(id: -2, name: "港", native: "💧"),
        ])

    fileprivate static let empty = State(id: 2, name: "Empty", cities: [])
}
