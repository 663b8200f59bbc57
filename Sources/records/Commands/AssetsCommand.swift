@_spi(Engines) import NestedRecords

extension Command {
    /// Lists, adds, reads and collects the contents of assets.
    static let assets = Command(
        name: "assets",
        summary: "Lists the contents of assets, adds, reads and collects them",
        discussion: """
            An asset is a file beside the records, such as a photo: records have its hash, and the database its bytes.

            'list' prints the hash, the size, the date and the number of records that name each content. 'get' writes the
            bytes of the content whose hash begins with HASH to a new file, or to standard output for '-'. 'add' adds a
            file, and prints the value for a field, for 'records set'. 'collect' removes the contents that neither a record
            nor a step of 'undo' names, and unfinished uploads, which were added more than a day ago, or before --older-than.
            """,
        examples: [
            Example("records assets list school.records", "The contents"),
            Example("records assets add school.records cover.png --content-type image/png", "Add a file"),
            Example("records assets get school.records 3f9a cover.png", "Write a content to a file"),
            Example("records assets collect school.records --older-than 3600", "Remove what no record names"),
        ],
        arguments: [
            Argument("ACTION", "What to do: list, get, add or collect."), .database,
            Argument("NAME", "The file to add, or the beginning of the hash to get.", .optional, kind: .file),
            Argument("TARGET", "The new file for 'get', or '-'.", .optional, kind: .file),
        ],
        options: [
            .value("content-type", nil, as: "TYPE", "The media type of the file to add, such as image/png."),
            .value("older-than", nil, as: "SECONDS", "The age of what 'collect' removes (default: 86400)."),
        ],
        isPaged: true
    ) { arguments in
        let action = try arguments.text("ACTION")
        let (name, target) = (try arguments.textIfPresent("NAME"), try arguments.textIfPresent("TARGET"))
        let contentType = try arguments.textIfPresent("content-type")
        let age = try arguments.textIfPresent("older-than").map { text in
            guard let seconds = Double(text), seconds >= 0, seconds < 1e12 else {
                throw UsageError("option '--older-than' is a number of seconds, and not '\(text)'")
            }
            return Duration.seconds(seconds)
        }
        if contentType != nil, action != "add" { throw UsageError("option '--content-type' is for 'add'") }
        if age != nil, action != "collect" { throw UsageError("option '--older-than' is for 'collect'") }
        switch (action, name, target) {
        case ("list", nil, nil): return try await arguments.listAssets()
        case ("get", let name?, let target?): return try await arguments.getAsset(name, target)
        case ("add", let name?, nil): return try await arguments.addAsset(name, contentType)
        case ("collect", nil, nil): return try await arguments.collectAssets(age ?? .seconds(86_400))
        case ("list", _, _), ("collect", _, _): throw UsageError("'\(action)' takes only the database")
        case ("get", _, _): throw UsageError("'get' needs the beginning of a hash, and a file or '-'")
        case ("add", _, _): throw UsageError("'add' needs a file")
        default: throw UsageError("ACTION is list, get, add or collect, and not '\(action)'")
        }
    }
}

extension ParsedArguments {
    /// The database of the command.
    private func databaseOfAssets(toWrite isForWriting: Bool = false) async throws -> any StoredDatabase {
        let input =
            isForWriting
            ? RecordInput(try await openForWriting(text("FILE")), named: try text("FILE")) : try await input()
        guard case .database(let database) = input.source, database.assets != nil else {
            throw InputError(input: input.name, reason: "keeps no assets")
        }
        return database
    }

    fileprivate func listAssets() async throws -> ExitStatus {
        let database = try await databaseOfAssets()
        let store = RecordStore(database).assets
        var table = Table(header: ["hash", "bytes", "added", "records"], terminal: console.outputTerminal)
        try await store.forEachContent { content in
            let users = try await database.referrers(of: [content.recordID])[content.recordID] ?? []
            try console.output.write(
                table.add([
                    .text(content.hash), .number(content.size.grouped),
                    .text(Record.Value.date(content.date).plainScalar?.text ?? ""),
                    .number(Set(users.map(\.record).filter { !$0.isOfUndo }).count.grouped),
                ]))
        }
        try console.output.write(table.finish())
        return .done
    }

    fileprivate func getAsset(_ beginning: String, _ target: String) async throws -> ExitStatus {
        let store = RecordStore(try await databaseOfAssets()).assets
        var found: [AssetContent] = []
        try await store.forEachContent { if $0.hash.utf8.starts(with: beginning.utf8) { found.append($0) } }
        guard let content = found.first else {
            throw InputError(input: try text("FILE"), reason: "has no asset whose hash begins with \(beginning)")
        }
        if found.count > 1 {
            throw UsageError("the hashes of \(found.count) assets begin with \(beginning): use more digits")
        }
        let asset = RecordAsset(content.digest, contentType: nil, fileName: nil)
        if target == OpenFile.standardInput {
            for try await part in store.bytes(of: asset) { try console.output.write(Array(part)) }
        } else {
            try OpenFile.checkIsNew(target)
            try await store.copy(asset, to: target)
        }
        return .done
    }

    fileprivate func addAsset(_ path: String, _ contentType: String?) async throws -> ExitStatus {
        let database = try await databaseOfAssets(toWrite: true)
        let asset = try await RecordStore(database).assets.add(file: path, contentType: contentType)
        try await finish(database)
        try console.output.write(Record.Value.asset(asset).typedText + "\n")
        return .done
    }

    fileprivate func collectAssets(_ age: Duration) async throws -> ExitStatus {
        let database = try await databaseOfAssets(toWrite: true)
        let found = try await RecordStore(database).assets.collect(olderThan: age)
        try await finish(database)
        try console.output.write(
            "removed \(found.contentCount.counted("content")) of \(found.byteCount.grouped) bytes, and "
                + "\(found.uploadCount.counted("unfinished upload"))\n")
        return .done
    }
}
