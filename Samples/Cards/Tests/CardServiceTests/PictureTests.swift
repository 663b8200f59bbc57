import Foundation
import HTTPTypes
import HummingbirdTesting
import NestedRecords
import Testing

@testable import CardService

@Suite(.timeLimit(.minutes(1))) struct PictureTests {
    @Test func pictureIsAddedReplacedAndRemoved() async throws {
        try await withService { ann in
            let card = try await ann.makeCard(in: ann.makeDeck())
            let path = "\(card)/picture"
            #expect(try await ann.send(.get, card).json["picture"] == nil)
            let added = try await ann.send(.put, path, "0123456789", headers: [.ifNoneMatch: "*"])
            #expect(added.status == 201)
            let shown = try await ann.send(.get, path)
            #expect(shown.status == 200 && shown.text == "0123456789")
            #expect(shown.headers[.eTag] == added.headers[.eTag])
            let view = try #require(try await ann.send(.get, card).json["picture"])
            #expect(view["type"]?.text == "image/png" && view["size"] == .integer(10))
            #expect(added.headers[.eTag] == view["hash"]?.text.map { "\"\($0)\"" })

            let gif: HTTPFields = [.contentType: "image/gif"]
            let replaced = try await ann.send(.put, path, "other", ifMatch: added.headers[.eTag], headers: gif)
            #expect(replaced.status == 204)
            #expect(try await ann.send(.get, path).headers[.contentType] == "image/gif")
            #expect(try await ann.send(.delete, path, ifMatch: replaced.headers[.eTag]).status == 204)
            #expect(try await ann.send(.get, path).status == 404)
            #expect(try await ann.send(.get, card).json["picture"] == nil)
        }
    }

    @Test func patchOfACardKeepsItsPictureAndIsInNoConflictWithIt() async throws {
        try await withService { ann in
            let card = try await ann.makeCard(in: ann.makeDeck())
            let path = try await ann.makePicture(of: card)
            let tag = try await ann.tag(of: path)
            #expect(try await ann.send(.patch, card, #"{"level":2}"#, ifMatch: ann.tag(of: card)).status == 200)
            #expect(try await ann.send(.put, path, "other", ifMatch: tag).status == 204)
            #expect(try await ann.send(.get, card).json["level"] == .integer(2))
            let forged = #"{"picture":{"hash":"0","size":1,"type":"text/html"}}"#
            #expect(try await ann.send(.patch, card, forged, ifMatch: ann.tag(of: card)).status == 400)
        }
    }

    @Test func changesNeedTheTagOfThePicture() async throws {
        try await withService { ann in
            let card = try await ann.makeCard(in: ann.makeDeck())
            let path = try await ann.makePicture(of: card)
            let tag = try await ann.tag(of: path)
            #expect(try await ann.send(.put, path, "other").status == 428)
            #expect(try await ann.send(.delete, path).status == 428)
            #expect(try await ann.send(.delete, path, ifMatch: "*").status == 400)
            #expect(try await ann.send(.delete, path, headers: [.ifNoneMatch: "*"]).status == 428)
            for stale in [try await ann.tag(of: card), "\"\""] {
                #expect(try await ann.send(.put, path, "other", ifMatch: stale).status == (stale == "\"\"" ? 400 : 412))
            }
            // There is one already.
            let second = try await ann.send(.put, path, "other", headers: [.ifNoneMatch: "*"])
            #expect(second.status == 412 && second.headers[.eTag] == tag)
            let removed = try await ann.send(.delete, path, ifMatch: ann.tag(of: card))
            #expect(removed.status == 412 && removed.headers[.eTag] == tag)
            #expect(try await ann.send(.get, path).text == "0123456789")
        }
    }

    @Test func oneOfTwoSimultaneousPicturesWins() async throws {
        try await withService { ann in
            let path = "\(try await ann.makeCard(in: ann.makeDeck()))/picture"
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await ann.send(.put, path, "picture \(number)", headers: [.ifNoneMatch: "*"]).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201] + Array(repeating: 412, count: 7))
        }
    }

    @Test(arguments: [
        ("bytes=2-4", 206, "234", "bytes 2-4/10"), ("bytes=-3", 206, "789", "bytes 7-9/10"),
        ("bytes=8-", 206, "89", "bytes 8-9/10"), ("bytes=10-", 416, "", "bytes */10"),
        ("bytes=a", 200, "0123456789", nil), ("bytes=0-1,3-4", 200, "0123456789", nil),
    ])
    func rangeOfAPictureIsSent(_ field: String, _ status: Int, _ text: String, _ range: String?) async throws {
        // Over a connection, so that the header and the body are as a client reads them.
        try await withService(setup: .live) { ann in
            let path = try await ann.makePicture(of: ann.makeCard(in: ann.makeDeck()))
            let answer = try await ann.send(.get, path, headers: [.range: field])
            #expect(answer.status == status && answer.text == text)
            #expect(answer.headers[.contentRange] == range)
            #expect(answer.headers[.acceptRanges] == "bytes")
        }
    }

    @Test func rangeOfAnotherPictureIsNotSent() async throws {
        try await withService { ann in
            let path = try await ann.makePicture(of: ann.makeCard(in: ann.makeDeck()))
            let tag = try await ann.tag(of: path)
            let range: HTTPFields = [.range: "bytes=8-", .ifRange: tag]
            #expect(try await ann.send(.get, path, headers: range).status == 206)
            try await ann.send(.put, path, "abcdefghij", ifMatch: tag)
            let answer = try await ann.send(.get, path, headers: range)
            #expect(answer.status == 200 && answer.text == "abcdefghij")
        }
    }

    @Test func pictureThatTheBrowserHasIsNotSentAgain() async throws {
        try await withService(setup: .live) { ann in
            let path = try await ann.makePicture(of: ann.makeCard(in: ann.makeDeck()))
            let tag = try await ann.tag(of: path)
            for tags in [tag, "W/\(tag)", "\"a\", \(tag)", "*"] {
                let answer = try await ann.send(.get, path, headers: [.ifNoneMatch: tags])
                #expect(answer.status == 304 && answer.text.isEmpty, "\(tags)")
                #expect(answer.headers[.eTag] == tag)
            }
            try await ann.send(.put, path, "other", ifMatch: tag)
            #expect(try await ann.send(.get, path, headers: [.ifNoneMatch: tag]).text == "other")
        }
    }

    @Test func headOfAPictureHasItsSizeAndNoBytes() async throws {
        try await withService(setup: .live) { ann in
            let path = try await ann.makePicture(of: ann.makeCard(in: ann.makeDeck()))
            let answer = try await ann.send(.head, path)
            #expect(answer.status == 200 && answer.headers[.contentLength] == "10" && answer.text.isEmpty)
        }
    }

    @Test func pictureIsNotAPageAndIsAskedForBeforeEachUse() async throws {
        try await withService { ann in
            let answer = try await ann.send(.get, ann.makePicture(of: ann.makeCard(in: ann.makeDeck())))
            #expect(answer.headers[.contentType] == "image/png")
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            #expect(answer.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
            #expect(answer.headers[.cacheControl] == "private, no-cache")
        }
    }

    @Test(arguments: ["text/html", "image/svg+xml", "application/octet-stream", "image", "image/*", "image/png2"])
    func otherTypesAreRefused(_ type: String) async throws {
        try await withService { ann in
            let path = "\(try await ann.makeCard(in: ann.makeDeck()))/picture"
            let answer = try await ann.send(.put, path, "0", headers: [.ifNoneMatch: "*", .contentType: type])
            #expect(answer.status == 415 && answer.json["detail"]?.text?.contains("image/png") == true)
            #expect(try await ann.send(.get, path).status == 404)
        }
    }

    @Test func picturesThatAreTooLargeOrEmptyAreRefused() async throws {
        var limits = Limits.generous
        limits.pictureBytes = 300_000
        let database = InMemoryRecordDatabase()
        try await withService(database, limits: limits, setup: .live) { ann in
            let path = "\(try await ann.makeCard(in: ann.makeDeck()))/picture"
            for (size, status) in [(300_001, 413), (3_000_000, 413), (0, 400)] {
                let bytes = String(repeating: "a", count: size)
                let answer = try await ann.send(.put, path, bytes, headers: [.ifNoneMatch: "*"])
                #expect(answer.status == status, "\(size)")
                #expect(answer.headers[.contentType] == "application/problem+json")
            }
            let whole = String(repeating: "a", count: 300_000)
            #expect(try await ann.send(.put, path, whole, headers: [.ifNoneMatch: "*"]).status == 201)
            #expect(try await ann.send(.get, path).text == whole)
            // A body whose length is not in its header.
            let head = "PUT \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token-of-ann\r\n"
            let fields = "Content-Type: image/png\r\nIf-Match: \(try await ann.tag(of: path))\r\n"
            let connection = try await RawConnection(port: #require(ann.client.port))
            try await connection.send(head + fields + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<4 { try await connection.send("186A0\r\n\(String(repeating: "b", count: 100_000))\r\n") }
            try await connection.send("0\r\n\r\n")
            #expect(try await connection.textAtTheEnd().hasPrefix("HTTP/1.1 413 "))
            #expect(try await ann.send(.get, path).text == whole)
        }
        // Nothing is left of what was refused, but for the empty content.
        let removed = try await RecordStore(database).assets.collect(olderThan: .zero)
        #expect(removed.uploadCount == 0 && removed.byteCount == 0)
    }

    @Test func uploadThatIsCutLeavesNothing() async throws {
        let database = InMemoryRecordDatabase()
        try await withService(database, setup: .live) { ann in
            let path = "\(try await ann.makeCard(in: ann.makeDeck()))/picture"
            let connection = try await RawConnection(port: #require(ann.client.port))
            try await connection.send(
                "PUT \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token-of-ann\r\n"
                    + "Content-Type: image/png\r\nIf-None-Match: *\r\nContent-Length: 600000\r\n\r\n"
                    + String(repeating: "a", count: 300_000))
            try await connection.close()
            #expect(try await ann.send(.get, path).status == 404)
        }
        // The service has ended, and with it all of its requests.
        let assets = RecordStore(database).assets
        #expect(try await assets.contents(limit: 10).isEmpty)
        #expect(try await assets.collect(olderThan: .zero).uploadCount == 0)
    }

    @Test func readersWithoutTheCardGetTheAnswerOfAMissingPicture() async throws {
        try await withService { ann in
            let deck = try await ann.makeDeck(members: ["bo"])
            let (card, bare) = (try await ann.makeCard(in: deck), try await ann.makeCard(in: deck))
            let path = try await ann.makePicture(of: card)
            let other = try await ann.of("cy").makeCard(in: ann.of("cy").makeDeck())
            let otherDeck = other.components(separatedBy: "/cards/")[0]
            #expect(try await ann.of("bo").send(.get, path).text == "0123456789")
            let missing = try await ann.send(.get, "\(bare)/picture")
            #expect(missing.status == 404)
            let name = card.components(separatedBy: "/").last ?? ""
            for hidden in [path, "\(other)/picture", "\(otherDeck)/cards/\(name)/picture", "/decks/x/cards/y/picture"] {
                for headers in [[:], [.range: "bytes=20-"], [.ifNoneMatch: "*"]] as [HTTPFields] {
                    let user = hidden == "\(other)/picture" ? "bo" : "cy"
                    let answer = try await ann.of(user).send(.get, hidden, headers: headers)
                    #expect(answer.status == 404 && answer.text == missing.text, "\(hidden)")
                    #expect(Set(answer.headers.map(\.name)) == Set(missing.headers.map(\.name)))
                }
            }
            // Who has the bytes themselves sees only their own card with them.
            #expect(try await ann.of("cy").makePicture(of: other) == "\(other)/picture")
            #expect(try await ann.of("cy").send(.get, "\(other)/picture").text == "0123456789")
            #expect(try await ann.of("cy").send(.get, path).status == 404)
            // A former member is a stranger.
            try await ann.send(.patch, deck, #"{"members":null}"#, ifMatch: ann.tag(of: deck))
            #expect(try await ann.of("bo").send(.get, path).text == missing.text)
        }
    }

    @Test func picturesOfDeletedDecksAreCollected() async throws {
        let database = InMemoryRecordDatabase()
        try await withService(database) { ann in
            let deck = try await ann.makeDeck()
            try await ann.makePicture(of: ann.makeCard(in: deck))
            let kept = try await ann.makePicture("kept", of: ann.makeCard(in: ann.makeDeck()))
            try await ann.send(.delete, deck, ifMatch: ann.tag(of: deck))
            let access = try makeService(database).access
            await access.collectPictures()
            #expect(try await RecordStore(database).assets.contents(limit: 10).count == 2)
            await access.collectPictures(olderThan: .zero)
            #expect(try await RecordStore(database).assets.contents(limit: 10).map(\.size) == [4])
            #expect(try await ann.send(.get, kept).text == "kept")
        }
    }
}
