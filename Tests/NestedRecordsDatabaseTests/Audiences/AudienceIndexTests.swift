import TestSupport
import Testing

@testable import NestedRecords

@Suite struct AudienceIndexTests {
    @Test(arguments: [1_000, 30, 5])
    func pagesGiveEachReaderWhatTheySeeAndNameNothingElse(maximumDepartureCount: Int) throws {
        for seed in Sweep.seeds(25, whole: 3_000) {
            var game = try AudienceGame(seed: seed, maximumDepartureCount: maximumDepartureCount)
            try game.play(steps: 20 + Int(seed % 200))
            #expect(game.purgeCount == 0 || maximumDepartureCount < 1_000)
        }
    }

    @Test func longValuesAreDistinct() {
        let long = String(repeating: "a", count: 80)
        let keys = [long, long + "b", SHA256.digest(of: Array(long.utf8)), "a", "e\u{301}", "\u{E9}"].map {
            AudienceKey("Note", .reader, $0)
        }
        #expect(Set(keys).count == 6 && keys.allSatisfy { $0.bytes.count <= 70 })
        #expect(Set([AudienceKey("Note", .reader, "x"), AudienceKey("Not", .reader, "ex")]).count == 2)
    }
}

/// Readers and a model of what each may see.
///
/// A note is for its readers, or for everybody; a project for its members, or for everybody; visits and logs are the contents
/// of a project.
private struct AudienceGame {
    private static let readers = ["ann", "bo", "cy"]

    private struct Fields: Equatable {
        var names: Set<String> = []
        var isPublic = false
        var project: Record.ID?
        var text: Int
    }

    private struct Copy {
        var place = AudiencePlace(number: 0)
        var records: [Record.ID: Fields] = [:]
        var names: Set<Record.ID> = []
    }

    private let ids: [Record.ID]
    private let projects: [Record.ID]
    private var index: AudienceIndex
    private var random: SplitMix64
    private var number: UInt64 = 0
    private var records: [Record.ID: Fields] = [:]
    private var copies: [String: Copy] = [:]
    private var seenOnce: [String: Set<Record.ID>] = [:]
    private(set) var purgeCount = 0

    init(seed: UInt64, maximumDepartureCount: Int) throws {
        random = SplitMix64(seed: seed)
        index = AudienceIndex(maximumDepartureCount: maximumDepartureCount)
        func some(_ type: String, _ count: Int) throws -> [Record.ID] {
            try (0..<count).map { try Record.ID(type: type, name: "\($0)") }
        }
        projects = try some("Project", 3)
        ids = try projects + some("Note", 4) + some("Visit", 6) + some("Log", 3)
        for reader in Self.readers { (copies[reader], seenOnce[reader]) = (Copy(), []) }
    }

    mutating func play(steps: Int) throws {
        for _ in 0..<steps {
            if Int.random(in: 0..<10, using: &random) < 6 { commit() } else { try read(random.pick(Self.readers)) }
        }
        for reader in Self.readers {
            var count = 0
            while copies[reader]?.place != AudiencePlace(number: number) {
                try read(reader)
                count += 1
                try #require(count < 1_000, "\(reader) never ends")
            }
            check(reader)
        }
        let kept = Set(index.allValues.map { "\($0.id) \($0.key.bytes)" })
        #expect(kept == Set(records.flatMap { id, fields in keys(of: id, fields).map { "\(id) \($0.bytes)" } }))
        let departures = index.allDepartures.map(\.departure.number)
        #expect(departures == departures.sorted() && departures.count == index.departureCount)
    }

    private func keys(of id: Record.ID, _ fields: Fields?) -> [AudienceKey] {
        guard let fields else { return [] }
        if let project = fields.project { return [AudienceKey(id.type, .container, project.description)] }
        return fields.names.sorted().map { AudienceKey(id.type, .listedReader, $0) }
            + (fields.isPublic ? [AudienceKey(id.type, .everybody)] : [])
    }

    private func shows(_ id: Record.ID, to reader: String) -> Bool {
        guard let fields = records[id] else { return false }
        if let project = fields.project { return records[project]?.names.contains(reader) == true }
        return fields.isPublic || fields.names.contains(reader)
    }

    private mutating func changed(_ id: Record.ID) -> Fields? {
        let text = Int.random(in: 0..<1_000_000, using: &random)
        if random.chance(oneIn: 4) { return nil }
        if var fields = records[id], random.chance(oneIn: 2) {
            fields.text = text
            return fields
        }
        if id.type == "Visit" || id.type == "Log" { return Fields(project: random.pick(projects), text: text) }
        let names = Self.readers.filter { _ in Int.random(in: 0..<5, using: &random) < 2 }
        return Fields(names: Set(names), isPublic: random.chance(oneIn: 5), text: text)
    }

    private mutating func commit() {
        number += UInt64.random(in: 1...2, using: &random)
        for id in Set((0..<Int.random(in: 1...3, using: &random)).map { _ in random.pick(ids) }).sorted() {
            let fields = changed(id)
            records[id] = fields
            index.change(id, to: keys(of: id, fields), isDeletion: fields == nil, at: number)
        }
        for reader in Self.readers {
            let seen = records.keys.filter { shows($0, to: reader) }
            seenOnce[reader]?.formUnion(seen)
        }
    }

    private mutating func read(_ reader: String) throws {
        var copy = try #require(copies[reader])
        guard copy.place.number >= index.purgedNumber else {
            // The reader compares everything.
            purgeCount += 1
            copy.place = AudiencePlace(number: number)
            copy.records = records.filter { shows($0.key, to: reader) }
            copies[reader] = copy
            return
        }
        let page = try index.page(
            of: view(of: reader), since: copy.place, until: number, limit: random.pick([1, 2, 5, 100]))
        copy.names.formUnion(page.saved + page.left + page.deleted + page.departed)
        for id in page.left { copy.records = copy.records.filter { $0.key != id && $0.value.project != id } }
        for id in page.departed + page.deleted { copy.records[id] = nil }
        for id in page.saved {
            #expect(shows(id, to: reader), "\(reader) cannot see \(id)")
            copy.records[id] = records[id]
        }
        try #require(page.place != copy.place || page.isComplete, "\(reader) does not go on from \(copy.place)")
        copy.place = page.place
        copies[reader] = copy
        if page.isComplete { check(reader) }
    }

    private func view(of reader: String) -> AudienceView {
        let contents = AudienceView.Source.container(ofType: "Project", isListed: true)
        return AudienceView(
            reader: reader,
            sources: [
                "Note": [.reader(isListed: true), .everybody], "Project": [.reader(isListed: true), .everybody],
                "Visit": [contents], "Log": [contents],
            ], needs: [])
    }

    private func check(_ reader: String) {
        let seen = records.filter { shows($0.key, to: reader) }
        #expect(copies[reader]?.records == seen, "\(reader)")
        let strange = copies[reader]?.names.subtracting(seenOnce[reader] ?? []) ?? []
        #expect(strange.isEmpty, "\(reader) never saw \(strange)")
    }
}
