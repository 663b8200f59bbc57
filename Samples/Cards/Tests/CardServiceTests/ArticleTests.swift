import Foundation
import Testing

/// The article about one's own server has the adapter that is compiled here, and the programs of Samples/Notes.
@Suite struct ArticleTests {
    private static let path = "Sources/NestedRecordsHTTP/NestedRecordsHTTP.docc/YourOwnServer.md"

    private static func lines(of path: String) throws -> [String] {
        let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func articleHasTheAdapterOfFlyingFox() throws {
        let start = #"appendRoute("/records/*") { request in"#
        let source = try Self.lines(of: "Samples/Cards/Sources/FlyingFoxRecords/HTTPServer+Records.swift")
        let article = try Self.lines(of: Self.path)
        let begin = try #require(source.firstIndex(of: start))
        let shown = try #require(article.firstIndex { $0.hasSuffix(start) })
        let block = article[shown...].prefix { $0 != "```" }
        for line in source[(begin + 1)...] where !line.hasPrefix("//") { #expect(block.contains(line), "\(line)") }
    }

    @Test(
        arguments: ["Package.swift", "Sources/NotesModel/Note.swift"]
            + ["Server", "Client"].map { "Sources/Notes\($0)/main.swift" })
    func articleHasTheProgramsOfNotes(_ file: String) throws {
        let source = try Self.lines(of: "Samples/Notes/\(file)").joined(separator: "\n")
        let article = try Self.lines(of: Self.path).joined(separator: "\n")
        let address = #".package(url: "<address of this repository>", branch: "main")"#
        #expect(article.contains(source.replacing(#".package(name: "NestedRecords", path: "../..")"#, with: address)))
    }
}
