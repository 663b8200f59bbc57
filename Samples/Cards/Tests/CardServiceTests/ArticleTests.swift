import Foundation
import Testing

/// The article about one's own server has the adapters that are compiled here.
@Suite struct ArticleTests {
    private static func lines(of path: String) throws -> [String] {
        let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test(arguments: [
        ("CardService/Routes/RecordRoutes.swift", #"router.post("records/:version/:call") { request, _ in"#),
        ("FlyingFoxRecords/HTTPServer+Records.swift", #"appendRoute("POST /records/*") { request in"#),
    ])
    func articleHasTheCompiledLines(_ file: String, _ start: String) throws {
        let source = try Self.lines(of: "Samples/Cards/Sources/\(file)")
        let article = try Self.lines(of: "Sources/NestedRecordsHTTP/NestedRecordsHTTP.docc/YourOwnServer.md")
        let begin = try #require(source.firstIndex(of: start))
        let shown = try #require(article.firstIndex { $0.hasSuffix(start) })
        let block = article[shown...].prefix { $0 != "```" }
        for line in source[(begin + 1)...] where !line.hasPrefix("//") { #expect(block.contains(line), "\(line)") }
    }
}
