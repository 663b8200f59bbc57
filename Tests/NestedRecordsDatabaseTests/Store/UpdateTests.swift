import NestedRecords
import TestSupport
import Testing

@Suite struct UpdateTests {
    @Test func valueIsReadChangedAndSaved() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        let school = try await database.values.update(School.self, named: "hilltop") { school in
            school.visits += 1
            school.pupils[1].age = 9
            school.pupils.append(Pupil(id: "cy"))
        }
        #expect(school.visits == 1 && school.pupils.map(\.age) == [7, 9, 7])
        #expect(try await database.values.fetch(School.self, named: "hilltop").value == school.value)
        #expect(database.modifications.map(\.texts) == [["Pupil/bo", "Pupil/cy", "School/hilltop"]])
        #expect(database.modifications[0].saved.map { $0.metadata != nil } == [true, false, true])
    }

    @Test func onlyTheChangedRecordIsSent() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        let id = try Record.ID("School/hilltop")
        #expect(try await database.values.update(School.self, named: id.name) { $0.visits += 1 }.visits == 1)
        #expect(try await database.values.update(School.self, named: id.name) { $0.director?.age = 51 }.visits == 1)
        #expect(database.modifications.map(\.texts) == [["School/hilltop"], ["Pupil/dee"]])
    }

    @Test func unchangedValueIsNotSaved() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        #expect(
            try await database.values.update(School.self, named: "hilltop") { $0.visits += 0 }.value == School.sample())
        #expect(database.modifications.isEmpty)
    }

    @Test func instancesAreUpdatedToo() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Station(1, next: Station(2, next: Station(3))))
        let database = CountingDatabase(memory)
        let station = try await database.values.update(Station.self, named: "1") { station in
            station.next?.next?.name = "Terminus"
            station.next?.name += "!"
        }
        #expect(station.next?.next?.name == "Terminus")
        #expect(database.modifications.map(\.texts) == [["Station/3", "Station/2"]])
        #expect(try await memory.fetch("Station/2")["name"] == "Station 2!")
    }

    @Test func instancesThatFormARingAreRefused() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Station(1, next: Station(2)))
        var ring: Station?
        defer { ring?.next = nil }
        var error: RecordError?
        do {
            _ = try await memory.values.update(Station.self, named: "1") { station in
                station.next?.next = station
                ring = station
            }
        } catch let thrown as RecordError {
            error = thrown
        }
        #expect(error?.code == .referenceCycle)
        #expect(try await memory.fetch("Station/2")["next"] == nil)
    }

    @Test func instancesThatFormARingAreNotSavedSinceTheyAreUndecodable() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Station(1, next: Station(2)))
        var ring: Station?
        defer { ring?.next = nil }
        var error: RecordError?
        do {
            _ = try await memory.values(coding: RecordEncoder.allowingCycles.coding).update(Station.self, named: "1") {
                station in
                station.next?.next = station
                ring = station
            }
        } catch let thrown as RecordError {
            error = thrown
        }
        #expect(error?.code == .undecodableValue)
        let reason = "so nothing was saved: records contain each other: Station/1 .next"
        #expect(error?.description.contains(reason) == true)
        #expect(try await memory.fetch("Station/2")["next"] == nil)
    }

    @Test func removedRecordsAreDeletedOnlyIfAsked() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.values.update(School.self, named: "hilltop") { $0.pupils.removeLast() }
        #expect(try await memory.texts.contains("Pupil/bo"))
        try await memory.values.update(School.self, named: "hilltop", deletesRemovedRecords: true) {
            $0.pupils.removeLast()
        }
        #expect(try await memory.texts == ["Pupil/bo", "Pupil/dee", "School/hilltop"])
    }

    @Test func fieldsThatTheTypeDoesNotKnowStay() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set("founded", of: "School/hilltop", to: 1901)
        try await memory.set("nickname", of: "Pupil/ann", to: "A")
        let database = CountingDatabase(memory)
        try await database.values.update(School.self, named: "hilltop") { school in
            school.visits = 5
            school.motto = nil
        }
        #expect(database.modifications.map(\.texts) == [["School/hilltop"]])
        let record = try await memory.fetch("School/hilltop")
        #expect(record["founded"] == 1901)
        #expect(record["visits"] == 5)
        #expect(record["motto"] == nil)
        #expect(try await memory.fetch("Pupil/ann")["nickname"] == "A")
    }

    @Test func recordsThatAreOnlySpelledOtherwiseAreNotSaved() async throws {
        let memory = InMemoryRecordDatabase()
        let record = try Flat.record("Pupil/ann", ["id": "ann", "age": 7.0])
        _ = try await memory.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        let database = CountingDatabase(memory)
        #expect(try await database.values.update(Pupil.self, named: "ann") { _ in }.age == 7)
        #expect(database.modifications.isEmpty)
    }

    @Test func referencesThatWereLeftOutStayInFieldsThatDoNotChange() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.delete([Record.ID("Pupil/bo")], .dangling)
        var decoder = RecordDecoder()
        decoder.coding.omitsDanglingReferences = true
        let school = try await memory.values(coding: decoder.coding).update(School.self, named: "hilltop") {
            $0.visits = 5
        }
        #expect(school.pupils.map(\.id) == ["ann"])
        let record = try await memory.fetch("School/hilltop")
        #expect(record["visits"] == 5)
        #expect(record["pupils"] == (try Flat.references(["Pupil/ann", "Pupil/bo"])))
    }

    @Test(arguments: [1, 2, 7]) func updatesOfLargeGraphsAreSplit(batchLimit: Int) async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(
            School.sample(pupils: (0..<9).map { "p\($0)" }), batchLimit: batchLimit)
        let school = try await memory.values.update(School.self, named: "hilltop") { school in
            for index in school.pupils.indices { school.pupils[index].age = index }
        }
        #expect(school.pupils.map(\.age) == Array(0..<9))
        #expect(try await memory.values.fetch(School.self, named: "hilltop").value == school.value)
    }

    @Test func coderOptionsAreUsed() async throws {
        var encoder = RecordEncoder(), decoder = RecordDecoder()
        (encoder.coding.keyStrategy, decoder.coding.keyStrategy) = (.snakeCase, .snakeCase)
        struct Shop: RecordCodable, Identifiable { var id = 1, openDays = 5 }
        let memory = InMemoryRecordDatabase()
        try await memory.values(coding: encoder.coding).overwrite(Shop())
        let shop = try await memory.values(coding: decoder.coding).update(Shop.self, named: "1") {
            $0.openDays += 1
        }
        #expect(shop.openDays == 6)
        #expect(try await memory.fetch("Shop/1").fields == ["id": 1, "open_days": 6])
    }

    @MainActor @Test func closureRunsInTheIsolationOfTheCaller() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Station(1))
        var seen: [Station] = []
        let station = try await memory.values.update(Station.self, named: "1") { station in
            MainActor.assertIsolated()
            station.name = "Seen"
            seen.append(station)
        }
        #expect(seen.map(\.name) == [station.name])
    }

    @MainActor @Test func changesAndSumsMayUseTheStateOfAnActor() async throws {
        final class Form { var name = "Typed" }
        let form = Form()
        let (memory, _) = try await InMemoryRecordDatabase.holding(Station(1))
        try await memory.values.change(Station.self, named: "1") {
            MainActor.assertIsolated()
            return $0.name.set(form.name)
        }
        let stations = memory.values.query(Station.self)
        let least = try await stations.min { field in
            form.name += "!"
            return field.name
        }
        #expect(least == "Typed" && form.name == "Typed!")
        #expect(try await stations.grouped { $0.name }.max { $0.name }.map(\.value) == ["Typed"])
    }

    /// Has an owner also where its record names none, and forgets who had it before.
    struct House: RecordCodable, Identifiable {
        var id = 1
        var name = ""
        var owner = Person(id: "nobody", home: School())
        var deputy: Person?
        var former: Pupil?
        var pupil: Pupil?

        enum CodingKeys: CodingKey {
            case id, name, owner, deputy, former, pupil
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
            owner = try container.decodeIfPresent(Person.self, forKey: .owner) ?? owner
            deputy = try container.decodeIfPresent(Person.self, forKey: .deputy)
            former = try container.decodeIfPresent(Pupil.self, forKey: .former)
            pupil = try container.decodeIfPresent(Pupil.self, forKey: .pupil)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(name, forKey: .name)
            try container.encode(owner, forKey: .owner)
            try container.encodeIfPresent(deputy, forKey: .deputy)
            try container.encodeIfPresent(pupil, forKey: .pupil)
        }
    }

    struct Person: RecordCodable, Identifiable {
        var id: String
        var home: School
    }

    func makeDatabase() async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(Pupil(id: "ann"))
        let house = try Flat.record(
            "House/1", ["id": 1, "name": "a", "former": try Flat.reference("Pupil/ann")])
        try await database.commit(RecordBatch(saving: [house], savePolicy: .overwrite))
        return database
    }

    @Test func recordsThatDecodingMadeAreSavedOnlyWhenSomethingPointsToThem() async throws {
        let memory = try await makeDatabase()
        try await memory.values.update(House.self, named: "1") { $0.name = "b" }
        #expect(try await memory.texts == ["House/1", "Pupil/ann"])
        let value = try await memory.values.update(House.self, named: "1") { $0.deputy = $0.owner }
        #expect(value.deputy?.home.id == "hilltop")
        #expect(try await memory.texts == ["House/1", "Person/nobody", "Pupil/ann", "School/hilltop"])
        #expect(try await memory.fetch("House/1")["owner"] == nil)
    }

    @Test func recordThatWasReadAndIsTakenInAgainIsNotSentUnlessItChanged() async throws {
        let memory = try await makeDatabase()
        let database = CountingDatabase(memory)
        try await database.values.update(House.self, named: "1") { $0.pupil = $0.former }
        #expect(database.modifications.map(\.texts) == [["House/1"]])
        #expect(try await memory.fetch("House/1")["pupil"] == Flat.reference("Pupil/ann"))
    }

    @Test func recordThatWasReadAndIsTakenInAgainHasTheVersionThatWasRead() async throws {
        let memory = try await makeDatabase()
        let database = CountingDatabase(memory) { number in
            if number == 1 { try await memory.set("age", of: "Pupil/ann", to: 20) }
        }
        try await database.values.update(House.self, named: "1") { house in
            house.pupil = house.former
            house.pupil?.age += 1
        }
        #expect(database.modifications.map(\.texts) == [["Pupil/ann", "House/1"], ["Pupil/ann", "House/1"]])
        #expect(try await memory.fetch("Pupil/ann")["age"] == 21)
    }

    /// Encodes any level, decodes only positive ones.
    struct Gauge: RecordCodable, Identifiable, Equatable {
        struct Negative: Error {}

        var id: String
        var level: Int

        init(id: String, level: Int) {
            self.id = id
            self.level = level
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(String.self, forKey: .id)
            level = try container.decode(Int.self, forKey: .level)
            if level < 0 { throw Negative() }
        }
    }

    static func expectSaved(_ error: RecordDatabaseError?, in memory: InMemoryRecordDatabase) async throws {
        let error = try #require(error)
        #expect(error.code == .savedButNotDecoded)
        let underlyingError = try #require(error.underlyingError)
        let record = try await memory.fetch("Gauge/g")
        #expect(error.savedMetadata == [record.id: try #require(record.metadata)])
        #expect(record["level"] == -1)
        #expect("\(underlyingError)".contains("Negative"))
        let description = error.description
        #expect(
            description.hasPrefix("1 record was saved, but the value cannot be decoded from it: "), "\(description)")
        #expect(description.hasSuffix("\(underlyingError)"))
    }

    private static func expectNothingSaved(
        _ error: RecordError?, in memory: InMemoryRecordDatabase, level: Record.Value?
    ) async throws {
        #expect(try error?.code == .undecodableValue && error?.recordID == Record.ID("Gauge/g"))
        #expect(error.map { "\($0)".contains("Negative") } == true)
        #expect(try await memory.record(for: Record.ID("Gauge/g"))?["level"] == level)
    }

    @Test func valueThatCannotBeReadBackIsNotSaved() async throws {
        let memory = InMemoryRecordDatabase()
        let error = await #expect(throws: RecordError.self) {
            try await memory.values.overwrite(Gauge(id: "g", level: -1)).value
        }
        try await Self.expectNothingSaved(error, in: memory, level: nil)
        try await memory.values.overwrite(Gauge(id: "g", level: 1))
        let updateError = await #expect(throws: RecordError.self) {
            try await memory.values.update(Gauge.self, named: "g") { $0.level = -1 }
        }
        try await Self.expectNothingSaved(updateError, in: memory, level: 1)
    }

    @Test func mergedValueThatCannotBeReadIsAnErrorWithItsVersion() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Gauge(id: "g", level: 1))
        let stored = try await memory.values.fetch(Gauge.self, named: "g")
        try await memory.values.update(Gauge.self, named: "g") { $0.level = 2 }
        let error = await #expect(throws: RecordDatabaseError.self) {
            var mine = stored
            mine.level = 3
            try await memory.values.save(&mine) { conflict in
                var record = conflict.server
                record["level"] = -1
                return record
            }
        }
        try await Self.expectSaved(error, in: memory)
    }
}
