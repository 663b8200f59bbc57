import CardModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NestedRecords
import NestedRecordsFile
import NestedRecordsHTTP
import Testing

@testable import CardService
@testable import CardsClient

/// Two programs with record files, and a service on a port.
@Suite(.timeLimit(.minutes(1))) struct OfflineTests {
    /// A record file, which is opened for each command, as by a process.
    private struct Device {
        let path: String
        var environment: [String: String]

        /// The same device where no service can be reached.
        var offline: Device { Device(path: path, environment: ["CARDS_SERVICE": "http://127.0.0.1:1"]) }

        @discardableResult
        func run(_ command: String...) async throws -> [String] {
            let database = try FileRecordDatabase(path: path)
            do {
                let lines = try await Client(database, environment: environment).run(command)
                try await database.close()
                return lines
            } catch {
                try await database.close()
                throw error
            }
        }
    }

    /// Runs a service, with a new folder for the files of devices.
    private func withDevices(
        limits: Limits = .generous,
        _ test: @Sendable (Browser, _ device: (_ name: String, _ user: String) -> Device) async throws -> Void
    ) async throws {
        // The test's own connection waits for the commands.
        var limits = limits
        limits.idleTime = .seconds(300)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cards-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withService(limits: limits, setup: .live) { ann in
            let address = "http://127.0.0.1:\(try #require(ann.client.port))"
            try await test(ann) { name, user in
                Device(
                    path: folder.appendingPathComponent(name).path,
                    environment: ["CARDS_SERVICE": address, "CARDS_TOKEN": "token-of-\(user)"])
            }
        }
    }

    private static func name(in path: String) -> String { String(path.split(separator: "/").last ?? "") }

    @Test func conflictOfTwoDevicesIsSettledByOneOfThem() async throws {
        try await withDevices { ann, device in
            let deck = try await ann.makeDeck()
            let card = try await ann.makeCard("Ebb?", in: deck)
            let (deckName, cardName) = (Self.name(in: deck), Self.name(in: card))
            let (phone, tablet) = (device("phone", "ann"), device("tablet", "ann"))
            for device in [phone, tablet] { try await device.run("sync") }
            #expect(try await phone.offline.run("decks") == ["\(deckName)  Sea, of ann"])

            try await phone.offline.run("edit", cardName, "back", "Water goes out")
            try await phone.offline.run("edit", cardName, "level", "2")
            try await tablet.offline.run("edit", cardName, "back", "Low water")
            let crab = try await tablet.offline.run("add", deckName, "Crab?", "Pincers")[0]
            await #expect(throws: RecordDatabaseError.self) { try await tablet.offline.run("sync") }
            #expect(try await phone.run("sync") == ["received 0, sent 1, conflicts 0, refused 0"])
            #expect(try await tablet.run("sync") == ["received 1, sent 1, conflicts 1, refused 0"])
            // The service's value won, and the tablet has the other one in its list.
            let conflict = try #require(try await tablet.offline.run("conflicts").first)
            #expect(conflict.hasSuffix(#"Card/\#(cardName): mine back "Low water"; theirs back "Water goes out""#))
            let resolved = String(conflict.prefix { $0 != " " })
            try await tablet.offline.run("resolve", resolved, "mine")
            for device in [tablet, phone] { try await device.run("sync") }

            let cards = ["\(crab)  Crab? = Pincers, level 0", "\(cardName)  Ebb? = Low water, level 2"]
            for device in [tablet, phone] {
                #expect(try await device.offline.run("cards", deckName) == cards)
                #expect(try await device.offline.run("conflicts") == [])
            }
            #expect(try await ann.send(.get, card).json["back"] == .string("Low water"))
        }
    }

    @Test func memberHasTheDeckUntilTheMembershipEnds() async throws {
        try await withDevices { ann, device in
            let deck = try await ann.makeDeck(members: ["bo"])
            let card = try await ann.makeCard("Ebb?", in: deck)
            _ = try await ann.makeCard("Secret?", in: ann.makeDeck("Private"))
            let (bo, cardName) = (device("bo", "bo"), Self.name(in: card))
            try await bo.run("sync")
            #expect(try await bo.run("decks") == ["\(Self.name(in: deck))  Sea, of ann"])
            #expect(try await bo.run("cards", Self.name(in: deck)) == ["\(cardName)  Ebb? = Tide, level 0"])
            try await bo.run("edit", cardName, "back", "Mine")
            #expect(try await bo.run("sync") == ["received 0, sent 0, conflicts 0, refused 1"])
            let refused = try #require(try await bo.run("conflicts").first)
            #expect(refused.contains("Card/\(cardName) was refused"))
            try await bo.run("resolve", String(refused.prefix { $0 != " " }), "theirs")
            #expect(try await bo.run("cards", Self.name(in: deck)) == ["\(cardName)  Ebb? = Tide, level 0"])

            try await ann.send(.patch, deck, #"{"members":null}"#, ifMatch: ann.tag(of: deck))
            try await bo.run("sync")
            #expect(try await bo.run("decks") == [])
            await #expect(throws: RecordError.self) { try await bo.run("edit", cardName, "back", "Mine") }
            let file = try Data(contentsOf: URL(fileURLWithPath: bo.path))
            #expect(file.range(of: Data("Secret?".utf8)) == nil)
        }
    }

    @Test func pictureOfAConflictIsShownByBothDevicesWithoutTheService() async throws {
        try await withDevices { ann, device in
            let deck = try await ann.makeDeck(members: ["bo"])
            let card = try await ann.makeCard("Ebb?", in: deck)
            let (deckName, cardName) = (Self.name(in: deck), Self.name(in: card))
            let (phone, tablet, bo) = (device("phone", "ann"), device("tablet", "ann"), device("bo", "bo"))
            for device in [phone, tablet] { try await device.run("sync") }
            // More than one chunk of a content.
            let pictures = (1...2).map { Data(repeating: $0, count: 300_000) }
            for (device, picture) in zip([phone, tablet], pictures) {
                try picture.write(to: URL(fileURLWithPath: device.path + ".png"))
                try await device.offline.run("attach", cardName, device.path + ".png")
            }
            try await phone.run("sync")
            #expect(try await tablet.run("sync").first?.hasSuffix("sent 0, conflicts 1, refused 0") == true)
            let conflict = try #require(try await tablet.offline.run("conflicts").first)
            #expect(conflict.contains("mine picture asset (tablet.png, image/png, 300000 bytes"))
            try await tablet.offline.run("resolve", String(conflict.prefix { $0 != " " }), "mine")
            for device in [tablet, phone, bo] { try await device.run("sync") }
            for device in [tablet, phone, bo] {
                let copy = device.path + ".copy"
                try await device.offline.run("picture", cardName, copy)
                #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == pictures[1])
                let line = "\(cardName)  Ebb? = Tide, level 0, with a picture"
                #expect(try await device.offline.run("cards", deckName) == [line])
            }
            let served = try await ann.send(.get, "\(card)/picture")
            #expect(Data(served.text.utf8) == pictures[1])

            try await phone.offline.run("detach", cardName)
            for device in [phone, tablet] { try await device.run("sync") }
            await #expect(throws: Client.Mistake.self) {
                try await tablet.run("picture", cardName, tablet.path + ".copy")
            }
            #expect(try await ann.send(.get, "\(card)/picture").status == 404)
        }
    }

    @Test func pictureThatTheServiceRefusesKeepsNothingElseOnTheDevice() async throws {
        var limits = Limits.generous
        limits.pictureBytes = 1_000
        try await withDevices(limits: limits) { ann, device in
            let deck = try await ann.makeDeck()
            let cards = [try await ann.makeCard("Ebb?", in: deck), try await ann.makeCard("Flow?", in: deck)]
            let phone = device("phone", "ann")
            try await phone.run("sync")
            let file = phone.path + ".png"
            try Data(repeating: 1, count: 1_001).write(to: URL(fileURLWithPath: file))
            try await phone.run("attach", Self.name(in: cards[0]), file)
            try await phone.run("edit", Self.name(in: cards[1]), "back", "The tide comes in")
            #expect(try await phone.run("sync") == ["received 0, sent 1, conflicts 0, refused 1"])
            #expect(try await ann.send(.get, cards[1]).json["back"]?.text == "The tide comes in")
            let refused = try #require(try await phone.run("conflicts").first)
            #expect(refused.contains("Card/\(Self.name(in: cards[0])) was refused"))
            try await phone.run("resolve", String(refused.prefix { $0 != " " }), "theirs")
            #expect(try await phone.run("sync") == ["received 0, sent 0, conflicts 0, refused 0"])
        }
    }

    @Test func deckThatIsDeletedByARequestLeavesTheDevices() async throws {
        try await withDevices { ann, device in
            let deck = try await ann.makeDeck(members: ["bo"])
            let card = Self.name(in: try await ann.makeCard(in: deck))
            let devices = [device("ann", "ann"), device("bo", "bo")]
            for device in devices { try await device.run("sync") }
            try await ann.send(.delete, deck, ifMatch: ann.tag(of: deck))
            for device in devices {
                try await device.run("sync")
                #expect(try await device.run("decks") == [])
                await #expect(throws: RecordError.self) { try await device.run("edit", card, "level", "1") }
            }
        }
    }

    @Test func recordsAreCheckedAsRequestsAre() async throws {
        try await withDevices { ann, device in
            let deck = try await ann.makeDeck(members: ["bo"])
            let card = Self.name(in: try await ann.makeCard(in: deck))
            let phone = device("phone", "ann")
            try await phone.run("sync")
            try await phone.run("edit", card, "level", "99")
            #expect(try await phone.run("sync").first?.hasSuffix("refused 1") == true)
            #expect(try await phone.run("conflicts").first?.contains("'level' is a number from 0 to 10") == true)

            var options = RemoteRecordDatabase.Options()
            options.accessToken = { _ in "token-of-ann" }
            let url = try #require(URL(string: "http://127.0.0.1:\(ann.client.port ?? 0)/records"))
            let remote = RemoteRecordDatabase(url, options: options)
            let stored = try await remote.record(for: Record.ID(type: "Deck", name: Self.name(in: deck)))
            for (field, value) in [("readers", .list(["ann", "cy"])), ("isDeleted", true), ("title", 1)]
                as [(String, Record.Value)]
            {
                var record = try #require(stored)
                record[field] = value
                let error = await #expect(throws: RecordDatabaseError.self) {
                    try await remote.commit(RecordBatch(saving: [record]))
                }
                #expect(error?.code == .notPermitted, "\(field)")
            }
            #expect(try await ann.of("cy").send(.get, deck).status == 404)

            let page = try await RecordStore(remote).assets.add(Data("<script>".utf8), contentType: "image/svg+xml")
            var record = try #require(try await remote.record(for: Record.ID(type: "Card", name: card)))
            record["picture"] = .asset(page)
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await remote.commit(RecordBatch(saving: [record]))
            }
            #expect(error?.code == .notPermitted)
        }
    }

    @Test func serviceNeedsATokenAndItsVersion() async throws {
        try await withService { ann in
            for (user, version, status) in [("ann", 1, 200), ("", 1, 401), ("ann", 9, 426)] {
                let answer = try await ann.of(user).send(
                    .post, "/records/v\(version)/fetch", "{\"ids\":[]}\n{\"end\":0}\n")
                #expect(answer.status == status)
            }
        }
    }

    @Test(arguments: [["cards"], ["edit", "c", "due", "x"], ["attach", "c", "x.svg"], ["resolve", "x", "mine"], []])
    func otherCommandsAreRefused(_ command: [String]) async throws {
        let client = try Client(InMemoryRecordDatabase(), environment: [:])
        await #expect(throws: (any Error).self) { try await client.run(command) }
    }
}
