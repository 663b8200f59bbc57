import CardService
import Logging

/// The options of the command.
struct Options {
    /// A place for the records.
    enum Place: Equatable {
        case memory
        case file(String)
        case sqlite(String)
        case postgresql(String)
    }

    /// An option that cannot be used.
    struct Mistake: Error, CustomStringConvertible {
        var description: String
    }

    var place = Place.memory
    var host = "127.0.0.1"
    var port = 8080
    var limits = Limits()

    /// The number of cards of a deck to measure with; 0 for no deck.
    var fill = 0
    var logLevel = Logger.Level.info

    /// The names of the users by their tokens.
    var users: [String: String] = [:]

    static let usage = """
        usage: cards [--file PATH | --sqlite PATH | --postgresql ADDRESS] [--port PORT] [--user NAME:TOKEN]...
                     [--NAME NUMBER]... [--log LEVEL]

          --file PATH           keep the records in a record file; without a place they are kept in memory
          --sqlite PATH         keep them in a file of SQLite (build with --traits SQLite)
          --postgresql ADDRESS  keep them on a PostgreSQL server (build with --traits PostgreSQL)
          --host ADDRESS        answer on this address of this machine; 0.0.0.0 for all (127.0.0.1)
          --port PORT           answer on this port (8080)
          --user NAME:TOKEN     a user and the bearer token; without users, ann and bo get new tokens
          --requests NUMBER     answer so many requests of a user in a minute (600)
          --connections NUMBER  have so many connections open, and let others wait (20000)
          --streams NUMBER      let a user have so many event streams (5)
          --picture NUMBER      take pictures of so many bytes at most (5242880)
          --running NUMBER      let so many changes be written at the same time (64)
          --waiting NUMBER      let so many changes wait, and answer 503 to others (256)
          --cache NUMBER        keep so many records in memory (0)
          --fill NUMBER         add the deck 'load' of the first user with so many cards, to measure with
          --log LEVEL           write a line for each request (info), each call of the database too (debug), or only
                                for what fails (error)
        """

    private static var numbers: [String: WritableKeyPath<Options, Int>] {
        [
            "--requests": \.limits.requestsPerMinute, "--connections": \.limits.connections,
            "--streams": \.limits.streams, "--picture": \.limits.pictureBytes,
            "--running": \.limits.runningCommits, "--waiting": \.limits.waitingCommits,
            "--cache": \.limits.cachedRecords, "--fill": \.fill,
        ]
    }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Mistake(description: "'\(name)' needs a value.") }
            switch name {
            case "--file": place = .file(value)
            case "--sqlite": place = .sqlite(value)
            case "--postgresql": place = .postgresql(value)
            case "--host": host = value
            case "--port":
                guard let number = UInt16(value) else { throw Mistake(description: "'\(value)' is not a port.") }
                port = Int(number)
            case "--user":
                let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { throw Mistake(description: "'\(value)' is not like ann:token.") }
                guard users.updateValue(parts[0], forKey: parts[1]) == nil else {
                    throw Mistake(description: "Two users have the same token.")
                }
            case "--log":
                guard let level = Logger.Level(rawValue: value) else {
                    throw Mistake(description: "'\(value)' is not a level: debug, info or error.")
                }
                logLevel = level
            default:
                guard let option = Self.numbers[name] else {
                    throw Mistake(description: "'\(name)' is not an option.")
                }
                guard let number = Int(value), 0...100_000_000 ~= number else {
                    throw Mistake(description: "'\(value)' is not a number for '\(name)'.")
                }
                self[keyPath: option] = number
            }
        }
    }
}
