import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NestedRecords
import Synchronization
import Testing

@testable import CardService

@Suite(
    .serialized, .timeLimit(.minutes(2)),
    .enabled(if: WebDriver.isInstalled, "the programs chromium and chromedriver are not installed"))
struct PageTests {
    @Test func aDeckAndItsCardsAreMadeEditedAndDeleted() async throws {
        try await withPage(of: ["ann"]) { _, windows in
            let page = windows[0]
            try await page.click("button", "New deck")
            try await page.fill("#field-title", "Tides")
            try await page.fill("#field-members", "bo")
            try await page.click("button", "Save")
            try await page.wait(for: "#people", "Yours, read by bo")
            try await page.makeCard("Ebb?")
            try await page.click(".list button", "Ebb?")
            try await page.fill("#field-level", "3")
            try await page.click("button", "Save")
            try await page.wait(for: ".list button", "Level 3")
            try await page.click(".list button", "Ebb?")
            try await page.click("#editor button", "Delete")
            try await page.wait(for: ".plan", "This deletes 1 card")
            try await page.click("#deletion button", "Delete")
            try await page.wait(for: ".count", "0 cards")
        }
    }

    @Test func theDeletionOfADeckShowsWhatItDeletes() async throws {
        try await withPage(of: ["ann"]) { ann, windows in
            let deck = try await ann.makeDeck("Tides")
            for front in ["Ebb?", "Flow?"] { _ = try await ann.makeCard(front, in: deck) }
            let page = windows[0]
            try await page.open(deck, of: ann)
            try await page.click("button", "Delete deck")
            try await page.wait(for: ".plan", "This deletes 1 deck and 2 cards")
            #expect(try await page.texts("#deletion li").sorted() == ["Ebb?", "Flow?", "Tides"])
            try await page.press(.escape)
            #expect(try await ann.send(.get, deck).status == 200)
            try await page.click("button", "Delete deck")
            try await page.click("#deletion button", "Delete")
            try await page.wait(for: "#decks .count", "0 decks")
            #expect(try await ann.send(.get, deck).status == 404)
        }
    }

    @Test func aChangeInOneWindowIsShownInTheOtherAndTheFocusStays() async throws {
        try await withPage(of: ["ann", "ann"]) { ann, windows in
            let deck = try await ann.makeDeck()
            for front in ["Ebb?", "Flow?"] { _ = try await ann.makeCard(front, in: deck) }
            for page in windows { try await page.open(deck, of: ann) }
            try await windows[1].wait(for: ".list button") { $0.count == 2 }
            try await windows[1].run("document.querySelectorAll('.list button')[1].focus()")
            let focused = "return document.activeElement.innerText.split('\\n')[0]"
            let front = try await windows[1].run(focused).text ?? ""
            try await windows[0].click(".list button", front)
            try await windows[0].fill("#field-back", "The sea")
            try await windows[0].click("button", "Save")
            try await windows[1].wait(for: ".list button", "The sea")
            #expect(try await windows[1].run(focused).text == front)
            // The row with the focus goes, and its neighbour gets the focus.
            try await windows[0].click(".list button", front)
            try await windows[0].click("#editor button", "Delete")
            try await windows[0].click("#deletion button", "Delete")
            try await windows[1].wait(for: ".list button") { $0.count == 1 }
            #expect(try await windows[1].run(focused).text == (front == "Ebb?" ? "Flow?" : "Ebb?"))
        }
    }

    @Test func aConflictIsShownSideBySideAndEachFieldIsChosen() async throws {
        try await withPage(of: ["ann"]) { ann, windows in
            let deck = try await ann.makeDeck()
            let card = try await ann.makeCard("Ebb?", in: deck)
            let page = windows[0]
            try await page.open(deck, of: ann)
            try await page.click(".list button", "Ebb?")
            try await page.fill("#field-front", "Ebb tide?")
            try await page.fill("#field-back", "My answer")
            let theirs = #"{"front":"Low tide?","back":"Their answer","level":4}"#
            try await ann.send(.patch, card, theirs, ifMatch: ann.tag(of: card))
            try await page.wait(for: ".notice", "changed by others")
            try await page.click("button", "Save")
            try await page.wait(for: "#conflict fieldset") { $0.count == 3 }
            #expect(
                try await page.texts("#conflict fieldset span")
                    == ["Ebb tide?", "Low tide?", "My answer", "Their answer", "0", "4"])
            try await page.click("#conflict label", "Their answer")
            // Somebody saves again before the choice is sent.
            try await ann.send(.patch, card, #"{"front":"Neap?"}"#, ifMatch: ann.tag(of: card))
            try await page.click("#conflict button", "Save")
            try await page.wait(for: "#conflict fieldset span") { $0 == ["Ebb tide?", "Neap?"] }
            try await page.click("#conflict button", "Save")
            try await page.wait(for: ".list button", "Ebb tide?")
            let saved = try await ann.send(.get, card).json
            #expect(saved["back"]?.text == "Their answer")
            #expect(saved["level"] == .integer(4))
            #expect(saved["due"]?.text == "2030-01-01T00:00:00Z")
        }
    }

    @Test func theConnectionIsCutAndBackAndNothingIsMissed() async throws {
        let database = InMemoryRecordDatabase()
        try await WebDriver.withWindows(1) { windows in
            let page = windows[0]
            let address = Mutex((deck: "", port: 0))
            try await withService(database, setup: .live) { ann in
                let deck = try await ann.makeDeck()
                _ = try await ann.makeCard("Ebb?", in: deck)
                try await page.signIn(ann)
                try await page.open(deck, of: ann)
                try await page.wait(for: ".list button", "Ebb?")
                #expect(try await page.texts("#connection") == ["Live"])
                address.withLock { $0 = (deck, ann.client.port ?? 0) }
            }
            let (deck, port) = address.withLock { $0 }
            try await page.wait(for: "#connection", "Connection cut at")
            #expect(try await page.texts(".list button").count == 1)
            try await withService(database) { ann in _ = try await ann.makeCard("Flow?", in: deck) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await makeService(database).application(port: port).runService() }
                try await page.wait(for: "#connection", "Live again since")
                try await page.wait(for: ".list button", "Flow?")
                group.cancelAll()
            }
        }
    }

    @Test func aMemberReadsAndDoesNotEdit() async throws {
        try await withPage(of: ["bo"]) { ann, windows in
            let deck = try await ann.makeDeck("Tides", members: ["bo"])
            let card = try await ann.makeCard("Ebb?", in: deck)
            let page = windows[0]
            try await page.open(deck, of: ann)
            try await page.wait(for: "#people", "A deck of ann, which you may read")
            #expect(try await page.texts("#deck .bar button") == [])
            try await page.type("n")
            try await page.click(".list button", "Ebb?")
            try await page.wait(for: "#editor h2") { $0 == ["Read card"] }
            #expect(try await page.texts("#editor button") == ["Close"])
            #expect(try await page.run("return document.querySelector('#field-front').readOnly") == .bool(true))
            // What the member reads is the present card.
            try await ann.send(.patch, card, #"{"back":"The sea"}"#, ifMatch: ann.tag(of: card))
            try await page.wait(for: "#field-back", "The sea")
            try await ann.send(.patch, deck, #"{"members":null}"#, ifMatch: ann.tag(of: deck))
            try await page.wait(for: "#problem", "no longer shared with you")
            try await page.wait(for: "#decks .count") { $0 == ["0 decks"] }
        }
    }

    @Test func textOfUsersStaysText() async throws {
        let text = "<script>document.title='broken'</script><img src=x onerror=document.title='broken'>"
        try await withPage(of: ["ann"]) { ann, windows in
            let page = windows[0]
            try await page.click("button", "New deck")
            try await page.fill("#field-title", text)
            try await page.click("button", "Save")
            try await page.wait(for: "#title") { $0 == [text] }
            try await page.makeCard(text)
            #expect(try await page.run("return document.title").text == "\(text) – Cards")
            #expect(
                try await page.run("return document.querySelectorAll('main :is(script, img)').length") == .integer(0))
            let log = try await page.log()
            #expect(!log.contains { $0.contains("Security Policy") })
            // The policy refuses what the page never does.
            await #expect(throws: WebDriverError.self) { try await page.run("document.body.innerHTML = '<b>'") }
        }
    }

    @Test func searchAndPagesSelectDecksAndCards() async throws {
        try await withPage(of: ["ann"]) { ann, windows in
            let deck = try await ann.makeDeck("A sea & more")
            for number in 0..<60 { _ = try await ann.makeDeck("Deck \(number)") }
            for number in 0..<60 { _ = try await ann.makeCard("Card \(number)", in: deck) }
            let page = windows[0]
            try await page.run("location.reload()")
            try await page.wait(for: "#decks .list button") { $0.count == 50 }
            try await page.click("button", "Show more")
            try await page.wait(for: "#decks .count", "61 decks")
            try await page.type("/")
            try await page.type("SEA & m")
            try await page.wait(for: "#decks .list button") { $0.count == 1 }
            try await page.press(.tab)
            try await page.press(.tab)
            try await page.press(.enter)
            try await page.wait(for: "#deck .list button") { $0.count == 50 }
            try await page.click("#deck .more")
            try await page.wait(for: "#deck .list button") { $0.count == 60 }
            try await page.type("/")
            try await page.type("card 59")
            try await page.wait(for: "#deck .count", "1 of 60 cards")
            // A key of the page is a letter in an input.
            try await page.type("n")
            try await page.wait(for: "#deck .count", "0 of 60 cards")
        }
    }

    @Test func pictureIsChosenShownAndRemoved() async throws {
        try await withPage(of: ["ann", "bo"]) { ann, windows in
            let deck = try await ann.makeDeck(members: ["bo"])
            let card = try await ann.makeCard("Ebb?", in: deck)
            try await ann.send(.patch, card, #"{"due":null}"#, ifMatch: ann.tag(of: card))
            let path = "\(card)/picture"
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("cards-\(UUID().uuidString).png")
            defer { try? FileManager.default.removeItem(at: file) }
            // A picture of 2 by 1 pixels.
            let base64 = """
                iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAA\
                DUlEQVR42mP4zwAE/wEHAAH/PX2MSQAAAABJRU5ErkJggg==
                """
            try #require(Data(base64Encoded: base64)).write(to: file)
            for page in windows { try await page.open(deck, of: ann) }
            for page in windows { try await page.click(".list button", "Ebb?") }
            try await windows[0].choose(file, in: "#picture")
            try await windows[0].click("button", "Save")
            // The reader has the card open, and sees the picture.
            for page in windows { try await page.wait(for: ".list button", "with a picture") }
            try await windows[1].wait(forWidth: 2, of: "#editor img")
            #expect(try await windows[1].texts("#editor button") == ["Close"])
            #expect(try await ann.send(.get, path).headers[.contentType] == "image/png")
            try await windows[0].click("button", "Learn")
            try await windows[0].wait(forWidth: 2, of: "#learning img")
            try await windows[0].press(.escape)
            // Others are faster: theirs stays until the user chooses again.
            try await windows[0].click(".list button", "Ebb?")
            try await windows[0].wait(forWidth: 2, of: "#editor img")
            try await windows[0].click("#editor button", "Remove picture")
            try await ann.send(.put, path, "theirs", ifMatch: ann.tag(of: path))
            try await windows[0].click("button", "Save")
            try await windows[0].wait(for: "#editor .problem", "changed by others")
            try await windows[0].click("#editor button", "Remove picture")
            try await windows[0].click("button", "Save")
            try await windows[0].wait(for: ".list button") { !$0[0].contains("with a picture") }
            #expect(try await ann.send(.get, path).status == 404)
        }
    }

    @Test func keysAloneMakeACard() async throws {
        try await withPage(of: ["ann"]) { ann, windows in
            let page = windows[0]
            try await page.open(ann.makeDeck(), of: ann)
            try await page.wait(for: "button", "New card")
            try await page.type("?")
            try await page.wait(for: "#keys h2", "Keys")
            try await page.press(.escape)
            try await page.type("n")
            try await page.type("Ebb?")
            try await page.press(.tab)
            try await page.type("Tide")
            try await page.press(.tab)
            // An empty time and the level remain as they are.
            try await page.run("document.querySelector('#field-level').focus()")
            try await page.press(.enter)
            try await page.wait(for: ".list button", "Ebb?")
            #expect(try await page.texts("dialog") == [])
        }
    }

    @Test func learningShowsTheFrontAndSavesTheAnswer() async throws {
        try await withPage(of: ["ann"]) { ann, windows in
            let deck = try await ann.makeDeck()
            let fields = #"{"front":"Ebb?","back":"The tide goes out","level":2}"#
            let card = try await ann.send(.post, "\(deck)/cards", fields).headers[.location] ?? ""
            let page = windows[0]
            try await page.open(deck, of: ann)
            try await page.wait(for: ".list button", "Ebb?")
            try await page.click("button", "Learn")
            try await page.wait(for: "#learning .front", "Ebb?")
            #expect(try await page.texts("#learning .back").allSatisfy(\.isEmpty))
            try await page.press(.enter)
            try await page.wait(for: "#learning .back", "The tide goes out")
            try await page.click("button", "Right")
            try await page.wait(for: "#learning .front", "Nothing is due")
            let saved = try await ann.send(.get, card).json
            #expect(saved["level"] == .integer(3))
            let due = try Date(saved["due"]?.text ?? "", strategy: .iso8601).timeIntervalSinceNow / 86_400
            #expect(3.9...4.1 ~= due)
        }
    }

    @Test func anUnknownTokenDoesNotSignIn() async throws {
        try await withPage(of: ["eve"]) { _, windows in
            try await windows[0].wait(for: "#problem", "does not know this token")
            #expect(try await windows[0].run("return sessionStorage.length") == .integer(0))
        }
    }

    /// Runs a service with a window for each user, who is signed in.
    ///
    /// The script of the page leaves no error uncaught.
    private func withPage(
        of users: [String], _ test: @Sendable (_ ann: Browser, _ windows: [Window]) async throws -> Void
    ) async throws {
        try await WebDriver.withWindows(users.count) { windows in
            try await withService(setup: .live) { ann in
                for (user, window) in zip(users, windows) { try await window.signIn(ann.of(user)) }
                try await test(ann, windows)
                for window in windows {
                    let log = try await window.log()
                    #expect(!log.contains { $0.contains("Uncaught") })
                }
            }
        }
    }
}

extension Window {
    /// Opens the page of a service, and signs in with the token of a user.
    fileprivate func signIn(_ browser: Browser) async throws {
        try await open("http://localhost:\(browser.client.port ?? 0)/")
        try await fill("#token", "token-of-\(browser.user)")
        try await press(.enter)
        if browser.user != "eve" { try await wait(for: "#decks .count", "deck") }
    }

    /// Opens a deck in a window that is signed in.
    fileprivate func open(_ deck: String, of browser: Browser) async throws {
        try await open("http://localhost:\(browser.client.port ?? 0)/#\(deck)")
    }

    fileprivate func makeCard(_ front: String) async throws {
        try await click("button", "New card")
        try await fill("#field-front", front)
        try await fill("#field-back", "Tide")
        try await click("button", "Save")
        try await wait(for: ".list button", front)
    }
}
