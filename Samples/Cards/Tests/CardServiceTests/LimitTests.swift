import HTTPTypes
import NestedRecords
import Testing

@testable import CardService

@Suite struct LimitTests {
    @Test func largeBodiesAreRefused() async throws {
        try await withService { ann in
            let body = #"{"title":"\#(String(repeating: "a", count: 70_000))"}"#
            let answer = try await ann.send(.post, "/decks", body)
            #expect(answer.status == 413)
            #expect(answer.headers[.contentType] == "application/problem+json")
        }
    }

    @Test(arguments: [9, 100, 600, 20_000])
    func deepBodiesAreRefused(_ depth: Int) async throws {
        try await withService { ann in
            let list = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let answer = try await ann.send(.post, "/decks", #"{"title":\#(list)}"#)
            #expect(answer.status == 400)
        }
    }

    @Test(arguments: ["", "{", "null", "7", #"{"title":"a"} x"#, #"{"title":1e999}"#])
    func otherBodiesAreRefused(_ body: String) async throws {
        try await withService { ann in
            let answer = try await ann.send(.post, "/decks", body)
            #expect(answer.status == 400)
        }
    }

    @Test(arguments: [#""level":5.5"#, #""due":"today""#, #""level":true"#])
    func valuesOfOtherKindsAreRefused(_ members: String) async throws {
        try await withService { ann in
            let answer = try await ann.send(.post, "\(ann.makeDeck())/cards", #"{"front":"a","back":"b",\#(members)}"#)
            #expect(answer.status == 400 && answer.text.contains("has a value that it cannot have"))
            #expect(!answer.text.contains("''"))
        }
    }

    @Test func otherMediaTypesAreRefused() async throws {
        try await withService { ann in
            let headers: HTTPFields = [.contentType: "text/plain"]
            let answer = try await ann.send(.post, "/decks", #"{"title":"a"}"#, headers: headers)
            #expect(answer.status == 415)
        }
    }

    @Test func eachUserHasALimitOfRequests() async throws {
        var limits = Limits()
        limits.requestsPerMinute = 3
        try await withService(limits: limits) { ann in
            for _ in 0..<3 { #expect(try await ann.send(.get, "/decks").status == 200) }
            let answer = try await ann.send(.get, "/decks")
            #expect(answer.status == 429)
            #expect(answer.headers[.retryAfter] != nil)
            #expect(try await ann.of("bo").send(.get, "/decks").status == 200)
            #expect(try await ann.send(.get, "/ready").status == 200)
        }
    }

    @Test func unknownPathsAreProblems() async throws {
        try await withService { ann in
            for path in [
                "/page", "/cards", "/decks/x/y/z", "/decks/%00", "/decks/" + String(repeating: "a", count: 300),
            ] {
                let answer = try await ann.send(.get, path)
                #expect([400, 404].contains(answer.status), "\(path)")
                #expect(answer.headers[.contentType] == "application/problem+json", "\(path)")
            }
        }
    }
}
