import NestedRecords
import NestedRecordsFile

extension ParsedArguments {
    /// Prints records as lines of typed JSON.
    func printLines() async throws -> ExitStatus {
        try refuse(["overwrite", "if-unchanged", "batch"], "a database as TO")
        let selection = try FilterOptions(self)
        if try flag("salvage") { return try await salvage(selection) }
        let input = try await input("FROM")
        let folder = try textIfPresent("assets").map { AssetFolder(path: $0) }
        let store = try folder.map { _ in RecordStore(try input.database()).assets }
        let progress = try await progress("Exporting", of: input, types: selection.types)
        defer { progress?.finish() }
        var printer = LinePrinter(output: console.output)
        func print(_ record: Record) async throws {
            if let folder, let store { try await folder.write(contentsOf: record, from: store) }
            try printer.print(record)
            progress?.advance()
        }
        if selection.isEmpty {
            try await input.naming {
                for try await record in input.records(withDocument: true) { try await print(record) }
            }
        } else {
            var isFound = false
            try await QueryOptions(filter: selection).forEach(in: input) { record in
                try await print(record)
                isFound = true
            }
            if input.canBeReadAgain {
                try await printHints(for: selection, foundRecords: isFound, in: input.recordsAgain)
            }
        }
        return .done
    }

    /// Prints the undamaged records, and reports the damage.
    private func salvage(_ selection: FilterOptions) async throws -> ExitStatus {
        if isGiven("where") {
            throw UsageError("option '--where' cannot be given together with '--salvage'")
        }
        let path = try pathOfRecordFile("FROM")
        let salvage = try await showing("Reading") { try await FileRecordDatabase.salvage(from: path) }
        let folder = try textIfPresent("assets").map { AssetFolder(path: $0) }
        let contents = try await salvage.assets()
        var lost: [String] = []
        var printer = LinePrinter(output: console.output)
        try await console.output.whileRead {
            for try await record in salvage.records
            where selection.includes(type: record.id.type) && !record.id.isOfAssets && !record.id.isOfUndo {
                for asset in folder == nil ? [] : record.assets {
                    do {
                        try await folder?.write(asset, of: record.id, from: contents)
                    } catch let error as RecordDatabaseError where [.corrupt, .missingAsset].contains(error.code) {
                        lost.append("the content of an asset of \(record.id) is lost: \(error)")
                    }
                }
                try printer.print(record)
            }
        }
        for problem in salvage.problems.map(\.description) + lost {
            console.statusLine.print("\(path): \(problem)".visible)
        }
        let count = "\(salvage.recordCount.grouped) \(salvage.recordCount == 1 ? "record is" : "records are")"
        let isDamaged = !lost.isEmpty || salvage.problems.contains { !$0.isDead }
        if isDamaged {
            notify("\(path): \(count) undamaged")
        }
        return isDamaged ? .found : .done
    }
}
