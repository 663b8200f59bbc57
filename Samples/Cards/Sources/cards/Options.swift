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
    var port = 8080

    /// The names of the users by their tokens.
    var users: [String: String] = [:]

    static let usage = """
        usage: cards [--file PATH | --sqlite PATH | --postgresql ADDRESS] [--port PORT] [--user NAME:TOKEN]...

          --file PATH           keep the records in a record file; without a place they are kept in memory
          --sqlite PATH         keep them in a file of SQLite (build with --traits SQLite)
          --postgresql ADDRESS  keep them on a PostgreSQL server (build with --traits PostgreSQL)
          --port PORT           answer on this port of this machine (8080)
          --user NAME:TOKEN     a user and the bearer token; without users, ann and bo get new tokens
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Mistake(description: "'\(name)' needs a value.") }
            switch name {
            case "--file": place = .file(value)
            case "--sqlite": place = .sqlite(value)
            case "--postgresql": place = .postgresql(value)
            case "--port":
                guard let number = UInt16(value) else { throw Mistake(description: "'\(value)' is no port.") }
                port = Int(number)
            case "--user":
                let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { throw Mistake(description: "'\(value)' is not like ann:token.") }
                guard users.updateValue(parts[0], forKey: parts[1]) == nil else {
                    throw Mistake(description: "Two users have the same token.")
                }
            default: throw Mistake(description: "There is no option '\(name)'.")
            }
        }
    }
}
