#if SQLite
    import NestedRecords

    extension Connection {
        /// The record that the bytes of a row are.
        func record(from bytes: UnsafeRawBufferPointer) throws -> Record {
            do {
                return try reader.record(from: bytes)
            } catch {
                throw damaged(error)
            }
        }

        /// The record with an ID that the bytes of its row are.
        func record(_ id: Record.ID, from bytes: UnsafeRawBufferPointer) throws -> Record {
            do {
                if let record = try reader.record(id, from: bytes) { return record }
            } catch {
                throw damaged(error)
            }
            throw SQLiteRecordDatabaseError.corrupt(path: path, record: id, what: "its row has another record")
        }

        func damaged(_ error: RecordFormatError) -> SQLiteRecordDatabaseError {
            SQLiteRecordDatabaseError.corrupt(
                path: path, record: error.recordID, what: "the bytes of a record", underlyingError: error)
        }

        /// The records with IDs that are there.
        ///
        /// Each is a search with one prepared statement: there is no server to go to, and names need no quotes.
        func records(for ids: [Record.ID]) throws -> [Record] {
            var found: [Record] = []
            found.reserveCapacity(min(ids.count, 10_000))
            for id in ids {
                try checkCancellation()
                if let record = try storedRow(of: id)?.record { found.append(record) }
            }
            return found
        }

        /// A row of a record, which is nil if the record was deleted.
        struct StoredRow {
            let number: Int64
            let record: Record?
        }

        func storedRow(of id: Record.ID) throws -> StoredRow? {
            try first(
                "SELECT number, body FROM records WHERE type = ?1 AND name = ?2", .text(id.type), .text(id.name)
            ) { row in
                StoredRow(number: row.int(0), record: try row.bytes(1).map { try record(id, from: $0) })
            }
        }

        /// The record in a row.
        func record(inRow number: Int64) throws -> Record? {
            try first("SELECT body FROM records WHERE number = ?1", .int(number)) { row in
                try row.bytes(0).map { try record(from: $0) }
            } ?? nil
        }

        /// The place of the last batch.
        func lastBatch() throws -> (number: Int64, mark: Int64) {
            guard
                let last = try first(
                    "SELECT number, mark FROM batches ORDER BY number DESC LIMIT 1", body: { ($0.int(0), $0.int(1)) })
            else { throw SQLiteRecordDatabaseError.corrupt(path: path, record: nil, what: "there is no batch") }
            return last
        }

        func storeID() throws -> String {
            try first("SELECT store FROM state") { $0.text(0) } ?? ""
        }
    }

    // MARK: Lists

    /// A place in the list of all records: behind one of them.
    struct ListPlace: Sendable {
        var type: String
        var name: String
    }

    extension Connection {
        /// How many records are read at a time, and how many bytes, unless one is longer.
        private static let listedCount = 500
        private static let listedBytes = 1 << 20

        /// The records behind a place in the order of their IDs, as many as are held at a time; none behind the last one.
        func listedRecords(ofType type: String?, after place: ListPlace?) throws -> [Record] {
            var found: [Record] = []
            var size = 0
            let sql = """
                SELECT body FROM records WHERE (type, name) > (?1, ?2) AND body IS NOT NULL
                ORDER BY type, name LIMIT \(Self.listedCount)
                """
            let sqlOfType = """
                SELECT body FROM records WHERE type = ?1 AND name > ?2 AND body IS NOT NULL
                ORDER BY name LIMIT \(Self.listedCount)
                """
            let start: [Statement.Value] = [.text(type ?? place?.type ?? ""), .text(place?.name ?? "")]
            try forEachRow(type == nil ? sql : sqlOfType, start) { row in
                guard let bytes = row.bytes(0) else { return true }
                found.append(try record(from: bytes))
                size += bytes.count
                return size < Self.listedBytes
            }
            return found
        }
    }
#endif
