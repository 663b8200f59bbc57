import Foundation
import Testing

/// The article about one's own server has the route of Samples/Notes.
@Suite struct ArticleTests {
    private static func lines(of path: String) throws -> [String] {
        let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func articleHasTheRouteOfNotes() throws {
        let source = try Self.lines(of: "Samples/Notes/Sources/NotesServer/main.swift").joined(separator: "\n")
        let article = try Self.lines(of: "Sources/NestedRecordsHTTP/NestedRecordsHTTP.docc/YourOwnServer.md")
        let begin = try #require(article.firstIndex(of: "let router = Router()"))
        #expect(source.contains(article[begin...].prefix { $0 != "```" }.joined(separator: "\n")))
    }
}
