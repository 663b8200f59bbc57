import Foundation

/// A process that uses a file of SQLite beside others, for tests, until a line or the end of its input stops it.
///
///     SQLiteProcess writer NAME PATH
///     SQLiteProcess reader PATH
///
/// It tells what it does, a line each. A line that begins with `wrong` tells what must not be.
@main
struct SQLiteProcess {
    static func main() async {
        #if SQLite
        do {
            let stop = StopSignal()
            switch CommandLine.arguments.dropFirst().first {
            case "writer" where CommandLine.arguments.count == 4:
                var writer = try Writer(name: CommandLine.arguments[2], path: CommandLine.arguments[3])
                while !stop.isSet { try await writer.takeStep() }
            case "reader" where CommandLine.arguments.count == 3:
                var reader = try await Reader(path: CommandLine.arguments[2])
                while !stop.isSet { try await reader.takeStep() }
                try await reader.finish()
            default:
                throw Wrong("arguments")
            }
        } catch {
            tell("wrong \(error)")
            exit(1)
        }
        #endif
    }
}

/// What must not be.
struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Writes a line without a buffer, so that none is lost when the process is killed.
func tell(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
