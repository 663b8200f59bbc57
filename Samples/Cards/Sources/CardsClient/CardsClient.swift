import Foundation
import NestedRecordsFile

/// Runs a command on the record file of a user.
@main
enum CardsClient {
    static func main() async {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard let path = arguments.first else { throw Client.Mistake(description: "The path is missing.") }
            let database = try FileRecordDatabase(path: path)
            let client = try Client(database, environment: ProcessInfo.processInfo.environment)
            for line in try await client.run(Array(arguments.dropFirst())) { print(line) }
            try await database.close()
        } catch let mistake as Client.Mistake {
            FileHandle.standardError.write(Data("cards-client: \(mistake)\n\(Client.usage)\n".utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("cards-client: \(error)\n".utf8))
            exit(1)
        }
    }
}
