import Foundation
import NestedRecords

// A survey of nature: projects with members, who see the sites, visits, observations and photos of their projects alone. The
// species are a tree that everybody reads.

struct Project: RecordCodable, Identifiable {
    @RecordName var id: String
    var name: String
    var members: [String]
    static let recordType = "SurveyProject"
}

struct Site: RecordCodable, Identifiable {
    @RecordName var id: String
    var project: RecordLink<Project>
    var name: String
    var place: Location?
    static let recordType = "SurveySite"
}

struct Visit: RecordCodable, Identifiable {
    @RecordName var id: String
    var project: RecordLink<Project>
    var site: RecordLink<Site>
    var date: Date
    static let recordType = "SurveyVisit"
}

struct Species: RecordCodable, Identifiable {
    @RecordName var id: String
    var name: String
    var parent: RecordLink<Species>?
    static let recordType = "SurveySpecies"
}

struct Observation: RecordCodable, Identifiable {
    @RecordName var id: String
    var project: RecordLink<Project>
    var visit: RecordLink<Visit>
    var species: RecordLink<Species>
    var date: Date
    var count: Int
    static let recordType = "SurveyObservation"
}

struct Photo: RecordCodable, Identifiable {
    @RecordName var id: String
    var project: RecordLink<Project>
    var observation: RecordLink<Observation>
    var name: String
    var date: Date
    var bytes: Data
    static let recordType = "SurveyPhoto"
}

enum Survey {
    /// Declares who reads what; once for each database.
    static func prepare(_ store: RecordStore) async throws {
        try await store.declare(Project.self, readers: { $0.members })
        try await store.declare(Site.self, container: { $0.project })
        try await store.declare(Visit.self, container: { $0.project })
        try await store.declare(Observation.self, container: { $0.project })
        try await store.declare(Photo.self, container: { $0.project })
    }

    /// The records that a member may see and change.
    static func scope(of user: String, in store: RecordStore) throws -> RecordStore {
        try store.scoped(for: user) {
            $0.rule(Project.self) { $0.members.contains(user) }
            $0.rule(Site.self) { $0.project.members.contains(user) }
            $0.rule(Visit.self) { $0.project.members.contains(user) }
            $0.rule(Observation.self) { $0.project.members.contains(user) }
            $0.rule(Photo.self) { $0.project.members.contains(user) }
            $0.share(Species.self)
        }
    }

    /// The first day of a month of 2026, and that of the next one, in Greenwich.
    static func month(_ number: Int) -> Range<Date> {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let start = calendar.date(from: DateComponents(year: 2026, month: number, day: 1)) ?? .distantPast
        return start..<(calendar.date(byAdding: .month, value: 1, to: start) ?? .distantFuture)
    }

    static let species: [(id: String, parent: String?)] = [
        ("animals", nil), ("birds", "animals"), ("gulls", "birds"), ("larus", "gulls"), ("larus canus", "larus"),
        ("larus fuscus", "larus"), ("rissa", "gulls"), ("rissa tridactyla", "rissa"),
    ]

    /// Two projects with two sites, three visits of each site, four observations of each visit, and a photo of each of these.
    static func fill(_ store: RecordStore) async throws {
        try await store.insert(
            species.map { species in
                Species(id: species.id, name: species.id, parent: try species.parent.map { try RecordLink(named: $0) })
            })
        let seen = ["larus canus", "larus fuscus", "rissa tridactyla", "gulls"]
        for (project, members) in [("coast", ["ann", "bo"]), ("island", ["cy"])] {
            let link = try RecordLink<Project>(named: project)
            try await store.insert(Project(id: project, name: project, members: members))
            for site in 1...2 {
                let place = try Location(latitude: 54, longitude: Double(site))
                let here = Site(id: "\(project)-\(site)", project: link, name: "Site \(site)", place: place)
                try await store.insert(here)
                for number in 1...3 {
                    let date = month(4 + number).lowerBound.addingTimeInterval(Double(site) * 86_400)
                    let visit = Visit(
                        id: "\(here.id)-\(number)", project: link, site: try RecordLink(to: here), date: date)
                    try await store.insert(visit)
                    let observations = try seen.enumerated().map { position, species in
                        Observation(
                            id: "\(visit.id)-\(position)", project: link, visit: try RecordLink(to: visit),
                            species: try RecordLink(named: species), date: date, count: position + 1)
                    }
                    try await store.insert(observations)
                    try await store.insert(
                        observations.map { observation in
                            Photo(
                                id: observation.id, project: link, observation: try RecordLink(to: observation),
                                name: "IMG \(observation.id)", date: date, bytes: Data(repeating: 9, count: 20_000))
                        })
                }
            }
        }
    }
}
