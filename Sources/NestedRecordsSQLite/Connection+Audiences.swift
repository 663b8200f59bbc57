#if SQLite
@_spi(Engines) import NestedRecords

// MARK: Declarations

extension Connection {
    func addAudiences(to list: inout IndexList) throws {
        guard let type = try typeNumber(RecordAudience.recordType) else { return }
        let sql = "SELECT \(Self.recordColumns) FROM records WHERE type = ?1 AND body IS NOT NULL"
        try forEachRow(sql, [.int(type)]) { row in
            let id = try storedID(inRow: row.int(0))
            do {
                list.audiences.set(
                    try record(in: row, at: 0).flatMap(RecordAudience.init), ofType: id.name,
                    since: UInt64(clamping: row.int(1)))
            } catch let error as RecordDatabaseError where error.code == .corrupt {
                // Only records of the type need it, until it is replaced.
                list.damagedAudiences[id.name] = error
            }
            return true
        }
    }

    /// Takes in the declarations of a batch, after its records.
    func declare(_ batch: RecordBatch, _ change: inout BatchChange) throws {
        let declarations = batch.declarations
        if declarations.isEmpty { return }
        for id in declarations {
            let audience = batch.saves.first { $0.id == id }.flatMap(RecordAudience.init)
            if audience != nil, audience == change.list.audiences[id.name] { continue }
            guard let type = try typeNumber(id.name) else { continue }
            try run(
                "DELETE FROM audience_entries WHERE record IN (SELECT number FROM records WHERE type = ?1)", .int(type))
            if let audience { try addEntries(of: audience, type, &change) }
        }
        try run(
            """
            DELETE FROM audience_values
            WHERE NOT EXISTS (SELECT 1 FROM audience_entries WHERE value = audience_values.number)
            AND NOT EXISTS (SELECT 1 FROM departures WHERE value = audience_values.number)
            """)
        change.audienceValues = [:]
        try run("UPDATE state SET index_change = index_change + 1")
    }

    private func addEntries(of audience: RecordAudience, _ type: Int64, _ change: inout BatchChange) throws {
        let sql = "SELECT \(Self.recordColumns) FROM records WHERE type = ?1 AND body IS NOT NULL"
        try forEachRow(sql, [.int(type)]) { row in
            try checkCancellation()
            guard let record = try record(in: row, at: 0) else { return true }
            for key in audience.keys(of: record) {
                // No token is before the declaration: that the values were added earlier makes no container new.
                try insertEntry(of: try addedValue(key, &change), at: row.int(0), batch: row.int(1))
            }
            return true
        }
    }
}

// MARK: Entries

extension Connection {
    fileprivate func audienceValue(_ key: AudienceKey) throws -> Int64? {
        try first("SELECT number FROM audience_values WHERE value = ?1", .bytes(key.bytes)) { $0.int(0) }
    }

    private func addedValue(_ key: AudienceKey, _ change: inout BatchChange) throws -> Int64 {
        if let known = change.audienceValues[key] { return known }
        var number = try audienceValue(key)
        if number == nil {
            try run("INSERT INTO audience_values(value) VALUES (?1)", .bytes(key.bytes))
            number = lastNumber
        }
        change.audienceValues[key] = number
        return number ?? 0
    }

    private func insertEntry(of value: Int64, at row: Int64, batch: Int64) throws {
        try run("INSERT OR REPLACE INTO audience_entries VALUES (?1, ?2, ?3, ?2)", .int(value), .int(batch), .int(row))
    }

    /// Replaces the entries of a record, and notes a departure for each value that it no longer has.
    ///
    /// - Parameters:
    ///   - old: The row before the change; nil for a new one.
    ///   - id: The ID of the record.
    ///   - new: The record; nil if it is deleted.
    ///   - row: The number of the row.
    ///   - change: The batch.
    func replaceAudience(
        of old: StoredRow?, _ id: Record.ID, by new: Record?, at row: Int64, _ change: inout BatchChange
    ) throws {
        if let damage = change.list.damagedAudiences[id.type] { throw damage }
        guard let audience = change.list.audiences[id.type] else { return }
        let former = try formerEntries(of: old, audience, &change)
        let values = try (new.map(audience.keys(of:)) ?? []).map { try addedValue($0, &change) }
        for (value, batch) in former where !values.contains(value) {
            try run(
                "DELETE FROM audience_entries WHERE value = ?1 AND batch = ?2 AND record = ?3", .int(value),
                .int(batch), .int(row))
            try run(
                "INSERT OR REPLACE INTO departures VALUES (?1, ?2, ?3, ?4)", .int(value), .int(change.number),
                .int(row), .int(new == nil ? 1 : 0))
            change.departures += 1
        }
        for value in values {
            if let batch = former[value] {
                let count = try run(
                    "UPDATE audience_entries SET batch = ?4 WHERE value = ?1 AND batch = ?2 AND record = ?3"
                ) { statement in
                    var result = statement.bind(int: value, at: 1)
                    result |= statement.bind(int: batch, at: 2)
                    result |= statement.bind(int: row, at: 3)
                    return result | statement.bind(int: change.number, at: 4)
                }
                if count > 0 { continue }
            }
            try insertEntry(of: value, at: row, batch: change.number)
        }
    }

    /// The values that a row had, with the batches of their entries.
    private func formerEntries(
        of old: StoredRow?, _ audience: RecordAudience, _ change: inout BatchChange
    ) throws -> [Int64: Int64] {
        guard let old, let batch = old.batch else { return [:] }
        var former: [Int64: Int64] = [:]
        switch old.record {
        case .success(let record):
            for key in record.map(audience.keys(of:)) ?? [] { former[try addedValue(key, &change)] = batch }
        case .failure:
            try forEachRow("SELECT value, batch FROM audience_entries WHERE record = ?1", [.int(old.number)]) { row in
                former[row.int(0)] = row.int(1)
                return true
            }
        }
        return former
    }

    func hasAudienceEntry(_ key: AudienceKey, at row: Int64) throws -> Bool {
        guard let value = try audienceValue(key) else { return false }
        return try first(
            """
            SELECT 1 FROM audience_entries JOIN records ON number = record
            WHERE value = ?1 AND audience_entries.batch = records.batch AND record = ?2 AND added <= records.batch
            """, .int(value), .int(row), body: { _ in true }) ?? false
    }
}

// MARK: Departures

extension Connection {
    /// Forgets the departures until a batch, and the oldest ones if there are too many.
    func forgetDepartures(_ change: BatchChange, until batch: Int64, maximum: Int64) throws {
        if change.departures == 0, batch == 0 { return }
        var (count, last) = (try departureState().count + change.departures, batch)
        if count > maximum.addingReportingOverflow(maximum / 4).partialValue, count > maximum {
            let sql = "SELECT batch FROM departures ORDER BY batch LIMIT 1 OFFSET ?1"
            last = max(last, try first(sql, .int(count - maximum - 1)) { $0.int(0) } ?? 0)
        }
        if last > 0 { count -= try removeDepartures(until: last) }
        try run(
            "UPDATE state SET departure_count = ?1, oldest_departure = max(oldest_departure, ?2)", .int(count),
            .int(last))
    }

    private func removeDepartures(until batch: Int64) throws -> Int64 {
        var values: [Int64] = []
        try forEachRow("SELECT DISTINCT value FROM departures WHERE batch <= ?1", [.int(batch)]) {
            values.append($0.int(0))
            return true
        }
        let count = try run("DELETE FROM departures WHERE batch <= ?1") { $0.bind(int: batch, at: 1) }
        for value in values {
            try run(
                """
                DELETE FROM audience_values WHERE number = ?1
                AND NOT EXISTS (SELECT 1 FROM audience_entries WHERE value = ?1)
                AND NOT EXISTS (SELECT 1 FROM departures WHERE value = ?1)
                """, .int(value))
        }
        return Int64(count)
    }

    /// The number of departures, and the batch until which they are forgotten.
    func departureState() throws -> (count: Int64, oldest: Int64) {
        guard
            let state = try first(
                "SELECT departure_count, oldest_departure FROM state", body: { ($0.int(0), $0.int(1)) })
        else { return (0, 0) }
        return (try plausible(state.0, "the number of departures"), try plausible(state.1, "the oldest departure"))
    }

    /// What is wrong in the tables of audiences besides the entries of the records.
    func departureProblems() throws -> [String] {
        let counts = [
            ("there are departures of missing records", "departures WHERE record NOT IN (SELECT number FROM records)"),
            (
                "there are departures from missing values",
                "departures WHERE value NOT IN (SELECT number FROM audience_values)"
            ),
            (
                "there are values without records",
                """
                audience_values WHERE number NOT IN (SELECT value FROM audience_entries)
                AND number NOT IN (SELECT value FROM departures)
                """
            ),
        ]
        var problems = try counts.filter { _, rows in
            try first("SELECT count(*) FROM \(rows)") { $0.int(0) } ?? 0 > 0
        }.map(\.0)
        let count = try first("SELECT count(*) FROM departures") { $0.int(0) }
        if try count != departureState().count { problems.append("the number of departures is wrong") }
        return problems
    }
}

// MARK: Reading

/// The lists of the file, as they are in the transaction of a connection.
struct StoredAudiences: AudienceLists {
    let connection: Connection

    func changes(of key: AudienceKey, since start: UInt64, limit: Int) throws -> [(id: Record.ID, number: UInt64)] {
        try rows(
            of: key, since: start, limit: limit,
            """
            SELECT records.number, records.type, records.name, audience_entries.batch FROM audience_entries
            LEFT JOIN records ON records.number = record WHERE value = ?1 AND audience_entries.batch > ?2
            ORDER BY audience_entries.batch
            """,
            """
            SELECT number, type, name, batch FROM records INDEXED BY records_by_batch
            WHERE type = ?1 AND batch > ?2 AND body IS NOT NULL ORDER BY batch
            """, \.number
        ) { row, id in (id, UInt64(clamping: row.int(3))) }
    }

    func departures(
        from key: AudienceKey, since start: UInt64, limit: Int
    ) throws -> [AudienceIndex.Departure] {
        try rows(
            of: key, since: start, limit: limit,
            """
            SELECT records.number, records.type, records.name, departures.batch, is_deletion FROM departures
            LEFT JOIN records ON records.number = record WHERE value = ?1 AND departures.batch > ?2
            ORDER BY departures.batch
            """,
            """
            SELECT number, type, name, batch, 1 FROM records INDEXED BY deletions
            WHERE type = ?1 AND batch > ?2 AND body IS NULL AND batch IS NOT NULL ORDER BY batch
            """, \.number
        ) { row, id in
            AudienceIndex.Departure(id: id, number: UInt64(clamping: row.int(3)), isDeletion: row.int(4) != 0)
        }
    }

    func records(of key: AudienceKey) throws -> [(id: Record.ID, added: UInt64)] {
        guard let value = try number(of: key) else { return [] }
        var found: [(id: Record.ID, added: UInt64)] = []
        let sql = """
            SELECT records.number, records.type, records.name, added FROM audience_entries
            LEFT JOIN records ON records.number = record WHERE value = ?1
            """
        try connection.forEachRow(sql, [.int(value)]) { row in
            found.append((try connection.storedID(row, at: 1, number: row.int(0)), UInt64(clamping: row.int(3))))
            return true
        }
        return found
    }

    /// The records of a value after the row of one, in the order of the rows; from the first one on if that row is missing.
    static let contents = """
        SELECT records.number, records.type, records.name FROM audience_entries
        LEFT JOIN records ON records.number = record
        WHERE value = ?1 AND record > coalesce((SELECT number FROM records WHERE type = ?2 AND name = ?3), 0)
        ORDER BY record LIMIT ?4
        """

    func records(of key: AudienceKey, after id: Record.ID?, limit: Int) throws -> [Record.ID] {
        guard let value = try number(of: key) else { return [] }
        var found: [Record.ID] = []
        // No row has the type 0.
        let type = try id.flatMap { try connection.typeNumber($0.type) } ?? 0
        let values: [Statement.Value] = [
            .int(value), .int(type), .text(id?.name ?? ""), .int(Int64(clamping: limit)),
        ]
        try connection.forEachRow(Self.contents, values) { row in
            found.append(try connection.storedID(row, at: 1, number: row.int(0)))
            return true
        }
        return found
    }

    private func number(of key: AudienceKey) throws -> Int64? {
        if let type = key.wholeType { return try connection.typeNumber(type) }
        return try connection.audienceValue(key)
    }

    private func rows<Element>(
        of key: AudienceKey, since start: UInt64, limit: Int, _ sql: String, _ sqlOfType: String,
        _ number: (Element) -> UInt64, _ element: (Row, Record.ID) throws -> Element
    ) throws -> [Element] {
        guard let value = try self.number(of: key) else { return [] }
        var found: [Element] = []
        let values: [Statement.Value] = [.int(value), .int(Int64(clamping: start))]
        try connection.forEachRow(key.wholeType == nil ? sql : sqlOfType, values) { row in
            try connection.checkCancellation()
            let new = try element(row, try connection.storedID(row, at: 1, number: row.int(0)))
            found.append(new)
            return found.count <= limit || number(found[limit - 1]) == number(new)
        }
        return found
    }
}
#endif
