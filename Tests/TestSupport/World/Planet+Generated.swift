import NestedRecords

extension Planet {
    /// Some thousand places, the same ones each time: with names in many scripts, coordinates, and places that several
    /// others share.
    package static let generated: Planet = {
        var generator = PlanetGenerator()
        return generator.planet()
    }()
}

/// Makes places up from random numbers.
private struct PlanetGenerator {
    private var random = SplitMix64(seed: 2_024)
    private var ids: [String: Int] = [:]

    /// Syllables by language, and what is between two words.
    private static let scripts: [(language: String, syllables: [String])] = [
        ("fr", ["é", "ça", "noël", "œu", "ville", "mont", "l’", "ou"]), ("de", ["ö", "ß", "burg", "Ä", "heim", "ü"]),
        ("pl", ["ł", "ę", "szcz", "ów", "ż"]), ("tr", ["ı", "İ", "ğ", "ş", "köy"]),
        ("vi", ["ệ", "ồ", "Đ", "ươ", "ng"]),
        ("el", ["πό", "λις", "ά", "ΰ", "ς"]), ("ru", ["град", "ё", "й", "Щ", "ов"]), ("ka", ["თბი", "ლი", "სი", "ქ"]),
        ("hy", ["Եր", "և", "ան", "ու"]), ("he", ["יְ", "רוּ", "שָׁ", "ם"]), ("ar", ["مَ", "دينة", "ال", "لا", "ة"]),
        ("fa", ["گ", "چ", "ی\u{200C}", "پ"]), ("hi", ["दि", "ल्ली", "क्ष", "त्र"]), ("ta", ["செ", "ன்", "னை", "ஸ்ரீ"]),
        ("th", ["กรุ", "ง", "เ", "ทำ", "นี้"]), ("km", ["ភ្នំ", "ពេ", "ញ"]), ("am", ["አዲ", "ስ", "አበ", "ባ"]),
        ("ko", ["서", "울", "\u{1112}\u{1161}\u{11AB}", "강"]), ("ja", ["東", "京", "が", "か\u{3099}", "ー", "ｶﾞ"]),
        ("zh-CN", ["北", "京", "𠀀", "港", "﨑"]), ("qaa", ["e\u{301}", "🏝️", "👩‍👧", "🇳🇿", "\u{202E}", "\"", "\\", "/"]),
    ]

    mutating func planet() -> Planet {
        var planet = Planet(id: "generated", name: name(), regions: repeated(5) { $0.region() })
        share(in: &planet)
        return planet
    }

    /// Has a city in two states of a country, and a state in two countries, in each subregion.
    private func share(in planet: inout Planet) {
        for region in planet.regions.indices {
            for subregion in planet.regions[region].subregions.indices {
                var countries = planet.regions[region].subregions[subregion].countries
                if countries.count < 2 { continue }
                for country in countries.indices where countries[country].states.count > 1 {
                    countries[country].states[1].cities += countries[country].states[0].cities.prefix(1)
                }
                countries[1].states += countries[0].states.prefix(1)
                planet.regions[region].subregions[subregion].countries = countries
            }
        }
    }

    private mutating func region() -> Region {
        Region(
            id: id(of: "region"), name: name(), translations: translations(), subregions: repeated(5) { $0.subregion() }
        )
    }

    private mutating func subregion() -> Subregion {
        Subregion(
            id: id(of: "subregion"), name: name(), translations: translations(), countries: repeated(9) { $0.country() }
        )
    }

    private mutating func country() -> Country {
        let id = id(of: "country")
        return Country(
            id: id, name: name(), iso2: "X\(id % 10)", iso3: "X\(id)", phoneCode: "+\(id)",
            capital: sometimes { $0.name() },
            currency: "X\(id % 7)", native: sometimes { $0.name() },
            population: sometimes { .random(in: 0...2_000_000_000, using: &$0.random) },
            areaSqKm: sometimes { .random(in: 0...1e7, using: &$0.random) }, location: sometimes { $0.location() },
            emoji: "🏳️",
            timezones: repeated(3) {
                let offset = Int.random(in: -48...56, using: &$0.random) * 900
                return Country.TimeZone(name: $0.name(), gmtOffset: offset, abbreviation: "T\(offset)")
            }, translations: translations(), states: repeated(7) { $0.state() })
    }

    private mutating func state() -> State {
        let id = id(of: "state")
        return State(
            id: id, name: name(), code: sometimes { _ in "\(id)" }, type: sometimes { _ in "province" },
            location: sometimes { $0.location() }, timezone: sometimes { $0.name() }, cities: repeated(9) { $0.city() })
    }

    private mutating func city() -> City {
        let id = id(of: "city")
        return City(
            id: id, name: name(), type: sometimes { _ in "city" }, native: sometimes { $0.name() },
            location: sometimes { $0.location() },
            population: sometimes { .random(in: 0...20_000_000, using: &$0.random) },
            timezone: sometimes { $0.name() }, updatedAt: sometimes { _ in "2001-02-03T04:05:06Z" },
            wikiDataId: sometimes { _ in "Q\(id)" })
    }

    /// Numbers that identify a place among those of its type.
    private mutating func id(of type: String) -> Int {
        ids[type, default: 0] += 1
        return ids[type, default: 0]
    }

    private mutating func name() -> String { name(in: random.pick(Self.scripts).syllables) }

    private mutating func name(in syllables: [String]) -> String {
        (1...Int.random(in: 1...3, using: &random)).map { _ in
            (1...Int.random(in: 1...4, using: &random)).map { _ in random.pick(syllables) }.joined()
        }.joined(separator: " ")
    }

    private mutating func translations() -> [String: String] {
        var translations: [String: String] = [:]
        for script in Self.scripts where !random.chance(oneIn: 4) {
            translations[script.language] = name(in: script.syllables)
        }
        return translations
    }

    private mutating func location() -> Location? {
        // As published: with at most eight places after the point, and on the edges too.
        func rounded(_ degrees: Double) -> Double { (degrees * 1e8).rounded() / 1e8 }
        let latitude = random.chance(oneIn: 50) ? -90 : rounded(.random(in: -90...90, using: &random))
        let longitude = random.chance(oneIn: 50) ? 180 : rounded(.random(in: -180...180, using: &random))
        return try? Location(latitude: latitude, longitude: longitude)
    }

    private mutating func sometimes<Value>(_ make: (inout Self) -> Value?) -> Value? {
        random.chance(oneIn: 4) ? nil : make(&self)
    }

    /// Up to so many, and now and then none.
    private mutating func repeated<Value>(_ count: Int, _ make: (inout Self) -> Value) -> [Value] {
        let count = random.chance(oneIn: 20) ? 0 : Int.random(in: (count + 1) / 2...count, using: &random)
        return (0..<count).map { _ in make(&self) }
    }
}
