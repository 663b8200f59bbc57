import Counting
import Foundation

/// Measures the library against the alternatives.
@main
struct Compare {
    private static let usage = """
        usage: compare [--quick] [--json FILE] [SECTION …]

        Sections; all of them without a name:
          coding      the processor time of coding a record, against JSON, property lists, GRDB and code by hand
          counts      instructions and memory of coding a record (instructions need valgrind)
          growth      the growth of the coding time with the number of records
          resolution  the cost of fetching records from a database for decoding, and the number of calls
          depth       the maximum depth of a value
          storage     the file database, against SQLite and GRDB
          queries     queries of the file database and in memory, against SQLite, GRDB and a loop
          engines     memory, file, SQLite, PostgreSQL, against code by hand; needs --traits Engines, and for PostgreSQL
                      Scripts/with-postgresql
          fields      what the column with JSON for SQL costs in SQLite and PostgreSQL; needs --traits Engines
          rows        a nested value and references in SQLite, against rows of GRDB; needs --traits Engines
          costs       a save of one change, and a large SQLite file, against rows of GRDB; needs --traits Engines
          lists       a service's list with and without indexes, beside writers; sums and text; needs --traits Engines
          searches    months, text, collations, prefixes, trees and projections, against GRDB; needs --traits Engines
          plans       the choice between two indexes, against the better one alone; needs --traits Engines
          cluster     a PostgreSQL server against a Citus cluster, with up to a million records; needs --traits Engines and
                      NESTED_RECORDS_CITUS
          changes     feeds and live values: memory, the cost for a writer, fetched records, the delivery time
          million     opening a store of a million records
          sync        synchronizing record files of up to a million records, against a plain copy
          service     requests and bytes of a database over HTTP, beside the database itself; for PostgreSQL it needs --traits
                      Engines and Scripts/with-postgresql
          audiences   what the feeds of readers cost saves, and pages after strangers' changes; needs --traits Engines
          world       a large real graph into a file and back: NESTED_RECORDS_WORLD has the path of its JSON

          --quick      less than half a minute: fewer records and rounds; the output lists the omissions
          --json FILE  writes the figures to a file too
        """

    static func main() async throws {
        try InstructionChild.runIfAsked({ try CountsOfSchool.work(named: $0) })
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == DeepChain.command { DeepChain.run(Array(arguments.dropFirst())) }
        if arguments.first == Opening.command {
            let opening = try await Opening(in: Array(arguments.dropFirst()))
            return print(String(decoding: try JSONEncoder().encode(opening), as: UTF8.self))
        }
        if arguments.first == OtherProcess.command { return try await OtherProcess.run(Array(arguments.dropFirst())) }
        if arguments.first == FirstPull.command {
            let pull = try await FirstPull(in: Array(arguments.dropFirst()))
            return print(String(decoding: try JSONEncoder().encode(pull), as: UTF8.self))
        }
        if arguments.first == SortedPage.command {
            let page = try await SortedPage(in: Array(arguments.dropFirst()))
            return print(String(decoding: try JSONEncoder().encode(page), as: UTF8.self))
        }
        let isQuick = arguments.contains("--quick")
        arguments.removeAll { $0 == "--quick" }
        var file: String?
        if let position = arguments.firstIndex(of: "--json"), position + 1 < arguments.count {
            file = arguments[position + 1]
            arguments.removeSubrange(position...(position + 1))
        }
        let all = [
            "coding", "counts", "growth", "resolution", "depth", "storage", "queries", "engines", "fields", "rows",
            "costs", "lists", "searches", "plans", "cluster", "changes", "million", "sync", "service", "audiences",
            "world",
        ]
        guard arguments.allSatisfy(all.contains) else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(2)
        }
        let start = ContinuousClock.now
        var report = Report(machine: Machine(), isQuick: isQuick)
        print(report.machine)
        for name in arguments.isEmpty ? all : arguments {
            for section in try await measure(name, isQuick: isQuick) {
                print(section)
                report.sections.append(section)
            }
        }
        print(report.targets)
        print("Measuring took \(start.duration(to: .now).components.seconds) s.")
        if let file { try report.write(to: file) }
    }

    private static func measure(_ name: String, isQuick: Bool) async throws -> [Section] {
        switch name {
        case "coding":
            var coding = CodingComparison(isQuick: isQuick)
            return try await coding.run()
        case "counts": return [try CountsOfSchool(isQuick: isQuick).run()]
        case "growth": return [try await GrowthOfSchool(isQuick: isQuick).run()]
        case "resolution": return [try await ResolutionCost(isQuick: isQuick).run()]
        case "depth": return [try DepthReached().run()]
        case "storage":
            var storage = try await StorageComparison(isQuick: isQuick)
            return [try await storage.run()]
        case "queries": return try await QueryComparison(isQuick: isQuick).run()
        case "engines":
            #if Engines
            return [try await EngineComparison(isQuick: isQuick).run()]
            #else
            print("\nThe engines are left out: build with the package trait Engines.")
            return []
            #endif
        case "fields", "rows", "costs", "lists", "searches", "plans":
            #if Engines
            return switch name {
            case "fields": [try await FieldsComparison(isQuick: isQuick).run()]
            case "rows": [try await RowsComparison(isQuick: isQuick).run()]
            case "costs": try await CostComparison(isQuick: isQuick).run()
            case "lists": try await ListComparison(isQuick: isQuick).run()
            case "searches": try await SearchComparison(isQuick: isQuick).run()
            default: try await PlanComparison(isQuick: isQuick).run()
            }
            #else
            print("\nThe \(name) are left out: build with the package trait Engines.")
            return []
            #endif
        case "cluster":
            #if Engines
            return try await ClusterComparison(isQuick: isQuick).run()
            #else
            print("\nThe cluster is left out: build with the package trait Engines.")
            return []
            #endif
        case "changes": return try await ChangeComparison(isQuick: isQuick).run()
        case "million":
            return [try await MillionRecords(count: isQuick ? 50_000 : 1_000_000).run()]
        case "sync": return [try await SyncFigures(isQuick: isQuick).run()]
        case "service": return try await ServiceFigures(isQuick: isQuick).run()
        case "audiences":
            #if Engines
            return try await AudienceFigures(isQuick: isQuick).run()
            #else
            print("\nThe audiences are left out: build with the package trait Engines.")
            return []
            #endif
        default:
            guard let url = WorldFile.url else {
                print("\nThe world is left out: set NESTED_RECORDS_WORLD to the path of its file.")
                return []
            }
            return [try await WorldFile.run(rounds: isQuick ? 1 : 7, at: url)]
        }
    }
}
