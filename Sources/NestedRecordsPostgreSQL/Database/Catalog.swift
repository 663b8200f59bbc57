#if PostgreSQL
@_spi(Engines) import NestedRecords

struct Catalog: Sendable {
    let identity: String

    /// Changes with each index: a writer of keys has to know all indexes.
    let generation: Int64

    /// Whether the database has the extension Citus.
    let hasCitus: Bool

    /// Whether the records are distributed over several servers.
    var isDistributed = false

    /// Whether there are records without the JSON for SQL.
    let lacksFields: Bool

    /// The indexes and their numbers, from 1 on; those that have all records, and others.
    private let slots: [(index: FieldIndex, slot: Int, isReady: Bool)]
    private let width: Int

    /// The declared audiences, by the types of the records.
    private(set) var audiences: [String: StoredAudience] = [:]

    /// More than the number of indexes that a server supports for a table.
    private static let greatestSlot: Int64 = 10_000

    /// Whether the tables were made by another server, and restored here.
    let isForeign: Bool

    init(_ rows: Answer) throws {
        guard rows.count > 0, let version = rows.integer(0, 0), let identity = rows.text(0, 1),
            let generation = rows.integer(0, 3)
        else { throw RecordDatabaseError(.notPrepared, reason: "the table of the store is empty") }
        guard version == Tables.version else {
            throw RecordDatabaseError(
                .unsupportedVersion, reason: "the tables have version \(version), the library knows \(Tables.version)")
        }
        self.identity = identity
        self.generation = generation
        isForeign = rows.bool(0, 2) != true
        hasCitus = rows.bool(0, 8) == true
        lacksFields = rows.bool(0, 9) == true
        var slots: [(index: FieldIndex, slot: Int, isReady: Bool)] = []
        for row in 0..<rows.count {
            guard let slot = rows.integer(row, 4), let type = rows.text(row, 5), let path = rows.text(row, 6) else {
                continue
            }
            guard let index = StoredIndex(recordType: type, path: path).index else {
                // Without its key, users of this path would not find the record.
                throw RecordDatabaseError(
                    .unsupportedVersion, reason: "an index has the unknown path \(path.debugDescription)")
            }
            guard (1...Self.greatestSlot).contains(slot) else {
                throw RecordDatabaseError(.corrupt, reason: "an index has the number \(slot)")
            }
            slots.append((index, Int(slot), rows.bool(row, 7) == true))
        }
        self.slots = slots
        width = slots.map(\.slot).max() ?? 0
    }

    mutating func add(_ rows: StoredRecords, since: (Int) -> UInt64?) throws {
        var stored = rows
        for row in 0..<rows.count {
            let id = try rows.id(row)
            // Only saves of the type need a damaged declaration, until it is replaced.
            let audience = Result { () throws(RecordDatabaseError) in
                do {
                    return try RecordAudience(stored.record(row))
                } catch {
                    throw error as? RecordDatabaseError
                        ?? RecordDatabaseError.damaged(id, what: "no declaration", underlyingError: error)
                }
            }
            audiences[id.name] = StoredAudience(
                audience: audience, tag: rows.metadata(row).changeTag, since: since(row))
        }
    }

    /// The audience of a type that saves keep.
    ///
    /// - Throws: ``RecordDatabaseError`` with the code `corrupt` if it cannot be read.
    func audience(ofType type: String) throws -> RecordAudience? { try audiences[type]?.audience.get() }

    var indexes: [FieldIndex] { slots.filter(\.isReady).map(\.index) }

    /// The numbers of the indexes that have all records.
    var readySlots: [Int] { slots.filter(\.isReady).map(\.slot) }

    func slot(of index: FieldIndex) -> Int? { slots.first { $0.index == index }?.slot }

    func missing(of indexes: [FieldIndex]) -> [FieldIndex] {
        indexes.filter { index in !slots.contains { $0.index == index && $0.isReady } }
    }

    func hasIndex(by path: FieldPath, ofType type: String) -> Bool {
        slots.contains { $0.index.recordType == type && $0.index.paths.contains(path) }
    }

    /// The keys of a record in all indexes, as an array in text; nil if no index is of its type.
    func keys(of record: Record) -> String? {
        var keys = [String?](repeating: nil, count: width)
        for (index, slot, _) in slots where index.recordType == record.id.type {
            keys[slot - 1] = index.key(of: record).text
        }
        return keys.contains { $0 != nil } ? keys.arrayText : nil
    }
}

/// The catalog that was read last.
struct KnownCatalog: Sendable {
    private(set) var latest: Catalog?
    private var latestNumber = 0
    private var count = 0

    /// The number of a read that begins.
    mutating func begin() -> Int {
        count += 1
        return count
    }

    /// Takes a catalog over, unless a read that began later has ended.
    ///
    /// A later generation need not be newer: tables may be restored while a process uses them.
    mutating func end(_ number: Int, _ read: Catalog) {
        if number > latestNumber { (latest, latestNumber) = (read, number) }
    }
}

/// An audience as it is declared on the server.
struct StoredAudience: Sendable {
    let audience: Result<RecordAudience?, RecordDatabaseError>

    /// The change tag of the declaration.
    let tag: String

    /// The transaction since which there is an entry for each record; nil until then.
    let since: UInt64?
}

extension PostgreSQLRecordDatabase {
    func knownCatalog() async throws -> Catalog {
        if let catalog = catalog.withLock({ $0.latest }) { return catalog }
        return try await readCatalog()
    }

    func readCatalog() async throws -> Catalog {
        let number = catalog.withLock { $0.begin() }
        // The audiences are not older than the generation.
        let answers = try await reportingMissingTables {
            try await pool.execute([tables.catalog, tables.storedAudiences], isRepeatable: true)
        }
        guard answers.count == 2 else { throw RecordDatabaseError(.connectionLost) }
        var read = try Catalog(answers[0])
        try read.add(StoredRecords(answers[1], of: tables)) {
            answers[1].transaction($0, StoredRecords.columnCount)
        }
        if read.hasCitus { read.isDistributed = try await self.read(tables.isDistributed).bool(0, 0) == true }
        if read.isForeign {
            throw RecordDatabaseError(
                .notPrepared, reason: "the tables were made by another server and restored here")
        }
        catalog.withLock { [read] in $0.end(number, read) }
        return read
    }
}
#endif
