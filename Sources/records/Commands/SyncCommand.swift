import NestedRecords
import NestedRecordsSync

extension Command {
    /// Keeps the records of two databases the same.
    static let sync = Command(
        name: "sync",
        summary: "Carries the changes of two databases over to each other",
        discussion: """
            A and B are databases: record files, SQLite databases and servers, as for 'records copy'; a missing one is
            created. What has changed in one of them since the last synchronization is carried over to the other, also
            deletions. A keeps the last common state of each record, in records whose types begin with 'NestedRecords.'.
            An interrupted synchronization goes on when the command is repeated.

            Of a field that both have changed, the value of B wins, and the conflict is kept in A: --conflicts lists
            the conflicts, and --resolve ends those of a record. With --take the record gets the values of one side
            again. Changes that B refuses stay in A; --status lists them. Unique values are kept, as far as their claims
            are known in one of the databases.

            An application that synchronizes A itself has rules of its own, such as counters. Its synchronization has
            a name, and this command has another name, unless --name says so.

            The exit code is 1 if not everything could be carried over.
            """,
        examples: [
            Example("records sync notebook.records 'postgresql://ada@db.example.com/school'", "A laptop and a server"),
            Example("records sync a.sqlite b.sqlite --dry-run", "Show what would change"),
            Example("records sync a.sqlite b.sqlite --resolve Card/1 --take local", "End the conflicts of a record"),
        ],
        arguments: [
            Argument("A", "The database that keeps the state of the synchronization.", kind: .file),
            Argument("B", "The other database, which several ones may be synchronized with.", kind: .file),
        ],
        options: [
            .value("name", nil, as: "NAME", default: "records", "The name of the synchronization."),
            .dryRun,
            .flag("status", "s", "Only print the state, with the changes that B has refused."),
            .flag("conflicts", "c", "Only print the conflicts that are not resolved."),
            .value(
                "resolve", "r", as: "ID", kind: .id, isRepeatable: true,
                "Remove the conflicts of this record from the list."),
            .value(
                "take", nil, as: "SIDE", kind: .choice(["local", "remote", "base"]),
                "The record of --resolve gets the contested values of A ('local'), of B ('remote'), or from before "
                    + "('base'); without it, it stays as it is."),
        ]
    ) { arguments in
        let (local, remote) = (try arguments.pathOfRecordFile("A"), try arguments.pathOfRecordFile("B"))
        if local == remote { throw UsageError("A and B are the same") }
        let work = try SyncWork(arguments)
        let paths = [local, remote]
        // What only looks creates nothing.
        let onlyReads = work.onlyReads
        var databases: [any StoredDatabase] = []
        for path in paths {
            let place = try DatabasePlace(path)
            databases.append(
                onlyReads ? try await place.open(for: .reading) : try await arguments.openForWriting(path))
        }
        let opened = databases
        let state = Lock(ExitStatus.interrupted)
        do {
            let options = try await SyncWork.options(of: opened)
            let sync = try RecordSync(opened[0], with: opened[1], named: try arguments.text("name"), options: options)
            let names = try paths.map { try ServerAddress.shown($0) }
            try await Interruption.cancelling {
                let status = try await work.run(sync, on: opened[0], named: names, arguments)
                state.withLock { $0 = status }
            }
            for database in opened {
                if onlyReads { try await database.close() } else { try await arguments.finish(database) }
            }
        } catch {
            for database in opened { try? await database.close() }
            throw error
        }
        let status = state.withLock { $0 }
        if status == .interrupted {
            arguments.notify("interrupted; run the same command to continue")
        }
        return status
    }
}

/// What the command is to do, of which one thing may be asked for.
private enum SyncWork: Sendable {
    case synchronize
    case plan
    case status
    case conflicts
    case resolve([Record.ID], take: Side?)

    enum Side: String {
        case local
        case remote
        case base
    }

    var onlyReads: Bool {
        switch self {
        case .plan, .status, .conflicts: true
        case .synchronize, .resolve: false
        }
    }

    init(_ arguments: ParsedArguments) throws {
        var chosen: [SyncWork] = []
        if try arguments.flag("dry-run") { chosen.append(.plan) }
        if try arguments.flag("status") { chosen.append(.status) }
        if try arguments.flag("conflicts") { chosen.append(.conflicts) }
        let ids = try arguments.texts("resolve").map(arguments.id)
        let side = try arguments.textIfPresent("take").flatMap(Side.init)
        if side != nil, ids.isEmpty { throw UsageError("option '--take' needs '--resolve'") }
        if !ids.isEmpty { chosen.append(.resolve(ids, take: side)) }
        if chosen.count > 1 {
            throw UsageError("only one of '--dry-run', '--status', '--conflicts' and '--resolve' can be given")
        }
        self = chosen.first ?? .synchronize
    }

    /// The options with the unique fields that are claimed in one of the databases.
    static func options(of databases: [any StoredDatabase]) async throws -> SyncOptions {
        var options = SyncOptions()
        for database in databases {
            options.uniqueFields.merge(try await database.claimedFields()) { $0.union($1) }
        }
        return options
    }

    func run(
        _ sync: RecordSync, on local: any RecordDatabase, named names: [String], _ arguments: ParsedArguments
    ) async throws -> ExitStatus {
        let output = arguments.console.output
        func write(_ line: String) throws { try output.write(line.visible + "\n") }
        switch self {
        case .synchronize:
            let outcome = try await sync.synchronize()
            try write(outcome.text(named: names))
            return outcome.isComplete ? .done : .found
        case .plan:
            let plan = try await sync.plan()
            for (ids, what) in [
                (plan.saved, "would be saved in \(names[0])"), (plan.deleted, "would be deleted in \(names[0])"),
                (plan.pushed, "would be saved in \(names[1])"),
                (plan.pushedDeletions, "would be deleted in \(names[1])"), (plan.conflicts, "has a conflict"),
            ] {
                for id in ids { try write("\(id) \(what)") }
            }
            if plan.isEmpty, plan.conflicts.isEmpty { try write("nothing would change") }
            return .done
        case .status:
            let status = try await sync.status()
            let others = try await local.versions(ofType: Record.ID.reservedTypePrefix + "Link", after: nil, limit: 10)
            let known = others.isEmpty ? "" : "; see --name for \(others.map(\.id.name).joined(separator: ", "))"
            try write(status.pendingCount.map { "\($0.grouped) to send" } ?? "not synchronized yet\(known)")
            if status.isComparing { try write("the comparison of all records is not finished") }
            try write(status.conflictCount.grouped("conflict"))
            try write("\(status.rejectedCount.grouped) refused")
            for change in try await sync.rejected() {
                try write("  \(change.recordID)\(change.isRestored ? " (its deletion)" : ""): \(change.reason)")
            }
            return .done
        case .conflicts:
            for conflict in try await sync.conflicts() { for line in conflict.lines { try write(line) } }
            return .done
        case .resolve(let ids, let side):
            let conflicts = try await sync.conflicts()
            for id in ids {
                let own = conflicts.filter { $0.recordID == id }
                if own.isEmpty { throw InputError(input: names[0], reason: "there is no conflict of \(id)") }
                for conflict in own { try await Self.resolve(conflict, side, sync, local, names[0]) }
                try write("resolved \(own.count == 1 ? "the conflict" : "\(own.count) conflicts") of \(id)")
            }
            return .done
        }
    }

    private static func resolve(
        _ conflict: SyncConflict, _ side: Side?, _ sync: RecordSync, _ local: any RecordDatabase, _ name: String
    ) async throws {
        guard let side else { return try await sync.resolve(conflict) }
        let chosen: Record.Fields?
        switch side {
        case .local: chosen = conflict.local
        case .remote: chosen = conflict.remote
        case .base: chosen = conflict.base
        }
        guard let chosen else {
            throw InputError(
                input: name,
                reason: "\(conflict.recordID) did not exist there; resolve it without '--take', and delete it with "
                    + "'records delete'")
        }
        var record = try await local.record(for: conflict.recordID) ?? Record(id: conflict.recordID)
        if conflict.kind == .fields {
            for field in conflict.fields { record[field] = chosen[field] }
        } else {
            record.fields = chosen
        }
        try await sync.resolve(conflict, with: record)
    }
}

extension SyncOutcome {
    /// The outcome in words.
    fileprivate func text(named names: [String]) -> String {
        var parts = ["\(savedCount.countedRecords) saved and \(deletedCount.grouped) deleted in \(names[0])"]
        parts.append("\(pushedCount.grouped("change")) sent to \(names[1])")
        if conflictCount > 0 { parts.append("\(conflictCount.grouped("conflict")) (see --conflicts)") }
        if rejectedCount > 0 { parts.append("\(rejectedCount.grouped) refused (see --status)") }
        if !isComplete { parts.append("other writers were faster; run the same command to continue") }
        return parts.joined(separator: ", ")
    }
}

extension SyncConflict {
    /// The conflict in words: the record, and the contested values of both sides.
    fileprivate var lines: [String] {
        let title: String
        switch kind {
        case .fields: title = "both changed"
        case .record: title = "both made it, or have other versions of its type"
        case .localDeletion: title = "deleted in A, changed in B"
        case .remoteDeletion: title = "\(fields.isEmpty ? "needed by a change" : "changed") in A, deleted in B"
        }
        let values = fields.map { field in
            let texts = [("A", local), ("B", remote), ("before", base)].compactMap { side, fields in
                fields.map { "\(side): \($0[field].map { "\($0)" } ?? "none")" }
            }
            return "  \(field): \(texts.joined(separator: ", "))"
        }
        return ["\(recordID): \(title)"] + values
    }
}
