#if SQLite
@_spi(Engines) import NestedRecords

/// A reference of a record, as a row has it.
struct ReferenceRow: Equatable {
    let target: Record.ID
    let position: Int64
    let path: String
    let kind: Int64

    /// The place in a list at the end of the path.
    let element: Int64?

    fileprivate init(_ reference: Record.Reference, position: Int, in walk: ReferenceWalk) {
        target = reference.id
        self.position = Int64(position)
        kind = Int64(reference.action == .deleteSelf ? 1 : 0) | (reference.isLink ? 2 : 0)
        if let place = walk.listPlace {
            (path, element) = (place.name, Int64(place.position))
        } else {
            (path, element) = Self.parts(of: walk.pathText)
        }
    }

    /// A list with many references would else have a path for each.
    private static func parts(of path: String) -> (path: String, element: Int64?) {
        guard path.utf8.last == UInt8(ascii: "]"), let start = path.utf8.lastIndex(of: UInt8(ascii: "[")) else {
            return (path, nil)
        }
        let digits = path[path.utf8.index(after: start)...].dropLast()
        guard let element = Int64(digits), "\(element)" == digits, element >= 0 else { return (path, nil) }
        return (String(path[..<start]), element)
    }

    static func == (left: Self, right: Self) -> Bool {
        // Equal paths may differ in Unicode normalization.
        left.target == right.target && left.position == right.position && left.kind == right.kind
            && left.element == right.element && left.path.hasSameBytes(as: right.path)
    }

    static func rows(of record: Record) -> [ReferenceRow] {
        var rows: [ReferenceRow] = []
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            rows.append(ReferenceRow(reference, position: rows.count, in: walk))
        }
        return rows
    }
}

/// References to insert, whose targets may be records of the same batch.
struct NewReferences {
    var rows: [(record: Int64, reference: ReferenceRow)] = []
    var numbers: [Record.ID: Int64] = [:]

    /// Rows without a batch that may have lost their last reference.
    ///
    /// They stay until the end: the batch may use them.
    var leftTargets: Set<Int64> = []
}

extension Connection {
    func replaceReferences(of old: Record?, by new: Record?, at row: Int64, _ added: inout NewReferences) throws {
        let rows = (old.map(ReferenceRow.rows(of:)) ?? [], new.map(ReferenceRow.rows(of:)) ?? [])
        if rows.0 == rows.1 { return }
        let targets = Array(Set(rows.0.map(\.target)))
        if !targets.isEmpty {
            var numbers: [Int64] = []
            try forEachRow(of: targets, (QueryStatement.numberByName, QueryStatement.numbersByNames)) {
                numbers.append($1.int(1))
                if $1.isNull(2) { added.leftTargets.insert($1.int(1)) }
            }
            for target in numbers {
                try run("DELETE FROM record_references WHERE target = ?1 AND record = ?2", .int(target), .int(row))
            }
        }
        for reference in rows.1 { added.rows.append((row, reference)) }
    }

    func insert(_ added: NewReferences) throws {
        try insertRows(of: added)
        for target in added.leftTargets {
            try run(
                """
                DELETE FROM records WHERE number = ?1 AND batch IS NULL
                AND NOT EXISTS (SELECT 1 FROM record_references WHERE target = ?1)
                """, .int(target))
        }
    }

    private func insertRows(of added: NewReferences) throws {
        if added.rows.isEmpty { return }
        var sought: Set<Record.ID> = []
        for (_, reference) in added.rows where added.numbers[reference.target] == nil {
            sought.insert(reference.target)
        }
        let missing = sought.sorted()
        var numbers = added.numbers
        try forEachRow(of: missing, (QueryStatement.numberByName, QueryStatement.numbersByNames)) { position, row in
            numbers[missing[position]] = row.int(1)
        }
        for target in missing where numbers[target] == nil {
            try run(
                "INSERT INTO records(type, name) VALUES (?1, ?2)", .int(try addedTypeNumber(target.type)),
                .text(target.name))
            numbers[target] = lastNumber
        }
        // In the order of the table, so that each of its pages is changed once.
        let rows = added.rows.map { (numbers[$0.reference.target] ?? 0, $0.record, $0.reference) }.sorted {
            ($0.0, $0.1, $0.2.position) < ($1.0, $1.1, $1.2.position)
        }
        for (target, record, reference) in rows {
            let path = try addedPathNumber(reference.path, kind: reference.kind)
            _ = try run("INSERT INTO record_references VALUES (?1, ?2, ?3, ?4, ?5)") { statement in
                let element: Statement.Value = if let element = reference.element { .int(element) } else { .null }
                var result = statement.bind(int: target, at: 1)
                result |= statement.bind(int: record, at: 2)
                result |= statement.bind(int: reference.position, at: 3)
                result |= statement.bind(int: path, at: 4)
                return result | statement.bind(element, at: 5)
            }
        }
    }

    /// Calls the closure with each reference to these records, in the order of the records that refer to them.
    private func forEachReference(
        to ids: [Record.ID], _ body: (Record.ID, RecordReferrer, _ record: Int64) throws -> Void
    ) throws {
        var targets: [Int64: Record.ID] = [:]
        try forEachRow(of: ids, (QueryStatement.numberByName, QueryStatement.numbersByNames)) {
            targets[$1.int(1)] = ids[$0]
        }
        if targets.isEmpty { return }
        let list = "[" + targets.keys.sorted().map { "\($0)" }.joined(separator: ",") + "]"
        let sql = """
            SELECT target, path, element, record, type, name, record FROM record_references
            CROSS JOIN records ON number = record WHERE target IN (SELECT value FROM json_each(?1))
            """
        try forEachRow(sql, [.text(list)]) { row in
            try checkCancellation()
            guard let target = targets[row.int(0)], let path = try storedPath(row.int(1)) else {
                throw RecordDatabaseError.corrupt(path: self.path, what: "the path of a reference is missing")
            }
            let number = row.int(3)
            let reference = Record.Reference(
                to: target, action: path.kind & 1 == 1 ? .deleteSelf : .none, isLink: path.kind & 2 == 2)
            let text = row.isNull(2) ? path.text : "\(path.text)[\(row.int(2))]"
            let holder = try storedID(row, at: 4, number: number)
            try body(target, RecordReferrer(record: holder, path: text, reference: reference), number)
            return true
        }
    }

    func referrers(of ids: [Record.ID]) throws -> [Record.ID: [RecordReferrer]] {
        var found: [Record.ID: [RecordReferrer]] = [:]
        try forEachReference(to: ids) { target, referrer, _ in found[target, default: []].append(referrer) }
        // By the records; those of a record are in the order of its fields already.
        for (target, referrers) in found {
            let order = referrers.indices.sorted {
                (referrers[$0].record, $0) < (referrers[$1].record, $1)
            }
            found[target] = order.map { referrers[$0] }
        }
        return found
    }

    func checkReferrers(of batch: RecordBatch) throws {
        var check = ReferrerCheck(batch)
        // What the batch itself saves or deletes counts as it will be.
        let changed = Set(batch.saves.map(\.id) + batch.deletions.map(\.id))
        var holders: Set<Int64> = []
        try forEachReference(to: check.targets) { target, referrer, number in
            let isAllowed = batch.allowedReferrers[target]?.contains(referrer.record) ?? false
            if !isAllowed, !changed.contains(referrer.record) { holders.insert(number) }
        }
        for number in holders.sorted() { if let record = try record(inRow: number) { check.note(record) } }
        try check.check(batch, exists: isStored)
    }

    private func isStored(_ id: Record.ID) throws -> Bool {
        guard let type = try typeNumber(id.type) else { return false }
        return try first(QueryStatement.tagByName, .int(type), .text(id.name)) { $0.int(3) != 0 } ?? false
    }
}
#endif
