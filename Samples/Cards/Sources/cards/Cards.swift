import CardService
import Foundation
import Hummingbird
import Logging
import Metrics

/// Runs the service until it is asked to stop.
@main
enum Cards {
    static func main() async {
        do {
            var options = try Options(Array(CommandLine.arguments.dropFirst()))
            let database = try await Database.open(options.place)
            if options.users.isEmpty {
                for name in ["ann", "bo"] {
                    let token = UUID().uuidString
                    options.users[token] = name
                    print("The token of \(name) is \(token)")
                }
            }
            MetricsSystem.bootstrap(TextMetrics())
            var logger = Logger(label: "cards")
            logger.logLevel = options.logLevel
            let service = try CardService(
                database.records, users: options.users, limits: options.limits, logger: logger)
            if options.fill > 0, let owner = options.users.values.min() {
                try await service.fill(options.fill, owner: owner)
            }
            // Requests are answered to their end before the database is closed.
            try await service.application(host: options.host, port: options.port).runService()
            try await database.close()
        } catch let mistake as Options.Mistake {
            FileHandle.standardError.write(Data("cards: \(mistake)\n\(Options.usage)\n".utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("cards: \(error)\n".utf8))
            exit(1)
        }
    }
}
