import CardService
import Foundation
import Hummingbird

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
            // Requests are answered to their end before the database is closed.
            try await CardService(database.records, users: options.users).application(port: options.port).runService()
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
