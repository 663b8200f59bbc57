extension RecordEncoder {
    /// Encodes a value for a database, and notes the Swift types of its records.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - database: The database for which it is encoded; nil for none.
    ///   - models: The types, which are added.
    /// - Throws: `RecordError.Code.ambiguousRecordType` also if another Swift type with the same name was
    ///   encoded for this database before; otherwise as ``encode(_:)-(Root)``.
    func encode<Root: RecordEncodable>(
        _ value: Root, for database: (any RecordDatabase)?, noting models: inout RecordModels
    ) throws -> RecordGraph {
        let claims = database.flatMap { DatabaseClaims.claims(of: $0) }
        return try EncodingCall.encode(root: value, coding, claims: claims, noting: &models)
    }

    func encode<Root: Encodable>(_ values: [Root], for database: some RecordDatabase) throws -> RecordGraph {
        try EncodingCall.encode(roots: values, coding, claims: DatabaseClaims.claims(of: database))
    }

    func encode(_ values: [any RecordEncodable], for database: some RecordDatabase) throws -> RecordGraph {
        try EncodingCall.encode(roots: values, coding, claims: DatabaseClaims.claims(of: database))
    }
}

extension RecordEncoder {
    /// Says what to write instead: the versions of a stored value are not part of its records.
    @available(*, unavailable, message: "encode the value of a Stored value, as in encode(stored.value)")
    public func encode<Value>(_ stored: Stored<Value>) throws -> RecordGraph { try RecordGraph([Record]()) }

    /// Says what to write instead: the versions of stored values are not part of their records.
    @available(*, unavailable, message: "encode the values of Stored values, as in encode(books.map(\\.value))")
    public func encode<Value>(_ stored: [Stored<Value>]) throws -> RecordGraph { try RecordGraph([Record]()) }
}

/// The record types that were encoded for each database of this process.
///
/// A database that is a structure has no identity, so nothing is noted for it.
private enum DatabaseClaims {
    private struct Entry: Sendable {
        weak var database: (any RecordDatabase & AnyObject)?
        let claims: RecordTypeClaims
    }

    private static let entries = Lock<[ObjectIdentifier: Entry]>([:])

    static func claims(of database: some RecordDatabase) -> RecordTypeClaims? {
        guard type(of: database) is AnyClass else { return nil }
        guard let object = database as? any RecordDatabase & AnyObject else { return nil }
        let key = ObjectIdentifier(object)
        return entries.withLock { entries in
            if let entry = entries[key], entry.database === object { return entry.claims }
            // Removes the entries of released databases.
            if entries.count.nonzeroBitCount == 1 { entries = entries.filter { $0.value.database != nil } }
            let entry = Entry(database: object, claims: RecordTypeClaims())
            entries[key] = entry
            return entry.claims
        }
    }
}
