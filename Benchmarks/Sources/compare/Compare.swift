@main
struct Compare {
    static func main() async throws {
        var storage = try await StorageComparison(isQuick: CommandLine.arguments.contains("--quick"))
        for result in try await storage.run() {
            let times = result.seconds.map { "\($0.name) \($0.median * 1e6) us" }.joined(separator: "  ")
            print(result.task, times, result.ratio(of: "file", to: "sqlite") ?? 0, result.ratio(of: "file", to: "grdb") ?? 0)
        }
    }
}
