#if PostgreSQL
@_spi(Engines) import NestedRecords

extension PostgreSQLRecordDatabase {
    /// How records are distributed over several servers.
    public enum Distribution: Sendable, Hashable {
        /// By Citus, into parts by the hash of the record name.
        ///
        /// - Parameter shardCount: The number of parts, at least 1. More parts than servers let Citus move parts to new
        ///   servers later.
        case citus(shardCount: Int)
    }

    /// Prepares the tables, and distributes the records over the servers of a cluster.
    ///
    /// The connection must be one to the coordinator, whose database has the extension Citus. Existing records are
    /// moved, while saves wait. Records that are distributed already keep their number of parts. Close other databases
    /// over the tables before: their queries may be refused afterwards.
    ///
    /// The article <doc:ScalingOut> says what a cluster guarantees.
    ///
    /// - Parameter distribution: How the records are distributed.
    /// - Throws: `RecordDatabaseError`, with the code `unsupported` for a database without Citus and `invalidOptions`
    ///   for an impossible number of parts, and `CancellationError`.
    public func prepare(distribution: Distribution) async throws {
        let shardCount =
            switch distribution {
            case .citus(let shardCount): shardCount
            }
        // The greatest number that Citus accepts.
        guard (1...64_000).contains(shardCount) else {
            throw RecordDatabaseError(.invalidOptions, reason: "a table has 1 to 64000 shards, not \(shardCount)")
        }
        try await prepare()
        let catalog = try await readCatalog()
        guard catalog.hasCitus else {
            throw RecordDatabaseError(
                .unsupported, reason: "the database has no extension Citus",
                hint: "execute CREATE EXTENSION citus on each server, and add the workers")
        }
        if catalog.isDistributed { return }
        guard catalog.audiences.isEmpty else {
            throw RecordDatabaseError(
                .unsupported, reason: "audiences are declared, which distributed records do not have",
                hint: "remove them with removeAudience(ofType:)")
        }
        try await execute(tables.distribution(shardCount: shardCount))
        _ = try await readCatalog()
    }

    /// Waits until the workers have committed every transaction that the coordinator has committed before the call.
    ///
    /// Citus prepares a transaction on the workers before it commits it on the coordinator. So the transactions that
    /// are prepared now include all of them.
    ///
    /// - Returns: Whether that was so within about half a second; a worker that was killed needs longer.
    func workersCaughtUp() async throws -> Bool {
        var open = try await preparedTransactions()
        var pause = Duration.milliseconds(1)
        while !open.isEmpty, pause < .milliseconds(500) {
            try await Task.sleep(for: pause)
            pause *= 2
            open.formIntersection(try await preparedTransactions())
        }
        return open.isEmpty
    }

    private func preparedTransactions() async throws -> Set<[String]> {
        let rows = try await read(Tables.prepared)
        var found: Set<[String]> = []
        for row in 0..<rows.count {
            let (server, text) = (String(rows.integer(row, 1) ?? 0), rows.text(row, 2) ?? "")
            guard rows.bool(row, 0) == true else {
                throw RecordDatabaseError(.notConnected, reason: "a server of the cluster: " + text)
            }
            for name in text.utf8.split(separator: UInt8(ascii: " ")) {
                found.insert([server, String(decoding: name, as: UTF8.self)])
            }
        }
        return found
    }
}
#endif
