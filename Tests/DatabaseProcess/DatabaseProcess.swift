import Foundation
import NestedRecords
import NestedRecordsFile
import NestedRecordsHTTP

#if SQLite
import NestedRecordsSQLite
#endif

#if PostgreSQL
import NestedRecordsPostgreSQL
#endif

/// A process that uses a database beside others, for tests, until a line or the end of its input stops it.
///
///     DatabaseProcess writer NAME PATH
///     DatabaseProcess reader PATH
///     DatabaseProcess claimer NAME sqlite PATH
///     DatabaseProcess claimer NAME postgresql CONNECTION SCHEMA
///     DatabaseProcess keeper NAME DATABASE...
///     DatabaseProcess meter FILE COPY DATABASE...
///     DatabaseProcess synchronizer NAME file|sqlite PATH sqlite PATH
///     DatabaseProcess synchronizer NAME file|sqlite PATH postgresql CONNECTION SCHEMA
///     DatabaseProcess synchronizer NAME file|sqlite PATH service ADDRESS
///
/// It writes a line for each step. A line that begins with `wrong` is an error.
@main
struct DatabaseProcess {
    static func main() async {
        do {
            let stop = StopSignal()
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch (arguments.first, arguments.count) {
            #if SQLite
            case ("writer", 3):
                var writer = try Writer(name: arguments[1], path: arguments[2])
                while !stop.isSet { try await writer.takeStep() }
            case ("reader", 2):
                var reader = try await Reader(path: arguments[1])
                while !stop.isSet { try await reader.takeStep() }
                try await reader.finish()
            #endif
            case ("claimer", 4...):
                var claimer = Claimer(name: arguments[1], store: RecordStore(try database(arguments[2...])))
                while !stop.isSet { try await claimer.takeStep() }
            case ("keeper", 4...):
                var keeper = AssetKeeper(name: arguments[1], RecordStore(try database(arguments[2...])))
                while !stop.isSet { try await keeper.takeStep() }
            case ("meter", 5...):
                let database = try database(arguments[3...])
                #if PostgreSQL
                try await (database as? PostgreSQLRecordDatabase)?.prepare()
                #endif
                try await AssetMeter(RecordStore(database)).run(arguments[1], arguments[2])
            case ("synchronizer", 6...), ("finisher", 6...):
                let local = try database(arguments[2...3])
                var synchronizer = try Synchronizer(
                    name: arguments[1], local, with: try database(arguments[4...]))
                if arguments[0] == "finisher" {
                    try await synchronizer.finish()
                } else {
                    while !stop.isSet { try await synchronizer.takeStep() }
                }
            default:
                throw Wrong("arguments")
            }
        } catch {
            report("wrong \(error)")
            exit(1)
        }
    }

    private static func database(_ arguments: ArraySlice<String>) throws -> any RecordDatabase {
        let arguments = Array(arguments)
        if arguments[0] == "file" { return try FileRecordDatabase(path: arguments[1]) }
        if arguments[0] == "service", let url = URL(string: arguments[1]) { return RemoteRecordDatabase(url) }
        #if SQLite
        if arguments[0] == "sqlite" {
            var options = SQLiteRecordDatabase.Options()
            (options.busyTimeout, options.durability) = (.seconds(100), .relaxed)
            return try SQLiteRecordDatabase(path: arguments[1], options: options)
        }
        #endif
        #if PostgreSQL
        if arguments[0] == "postgresql", arguments.count == 3 {
            var options = PostgreSQLRecordDatabase.Options()
            options.schema = arguments[2]
            return try PostgreSQLRecordDatabase(connection: arguments[1], options: options)
        }
        #endif
        throw Wrong("a database of the kind \(arguments[0])")
    }
}

/// A condition that does not hold.
struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Writes a line without a buffer, so that none is lost when the process is killed.
func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
