@_spi(Engines) import NestedRecords

/// The entry of the journal about one commit: a document that the commit creates together with its changes.
///
/// Invariant: entries have the numbers 1, 2, 3 … without gaps, since each commit requires that the document after the newest
/// one does not exist. So all commits have one order, and an entry exists exactly if its batch was applied.
struct JournalEntry {
    /// The collection of the entries, below the path of the records.
    static let collection = "NRJournal"

    let position: JournalPosition

    /// The records that the batch has saved or deleted.
    let ids: [Record.ID]

    init(after newest: JournalPosition, save: String, _ ids: [Record.ID], length: Int) {
        self.ids = ids
        let number = newest.number + 1
        // Two at most, so that also a shorter journal is reached, and no commit has much to do.
        let oldest = min(newest.oldest + 2, max(newest.oldest, number - Int64(length)))
        position = JournalPosition(number: number, save: save, oldest: oldest)
    }

    /// - Throws: `RecordError` with the code `invalidResponse` for a document that is not an entry.
    init(_ document: JSONValue) throws {
        let fields = document["fields"]
        guard let number = fields?["number"]?["integerValue"].flatMap(NativeValue.integer),
            let oldest = fields?["oldest"]?["integerValue"].flatMap(NativeValue.integer),
            let save = fields?["save"]?["stringValue"]?.text, JournalPosition.numbers.contains(number),
            (0...number).contains(oldest)
        else {
            let name = document["name"]?.text ?? ""
            throw RecordError(
                .invalidResponse, reason: "the document \(name.debugDescription) is not an entry of a journal")
        }
        position = JournalPosition(number: number, save: save, oldest: oldest)
        let elements = fields?["ids"]?["arrayValue"]?["values"]?.elements ?? []
        ids = try elements.map { try Record.ID($0["stringValue"]?.text ?? "") }
    }

    /// The creation of the entry, and the deletion of those that are too old.
    ///
    /// - Parameter former: The position of the entry before.
    /// - Throws: `RecordDatabaseError` with the code `batchTooLarge`.
    func writes(after former: JournalPosition, _ names: DocumentNames) throws -> [JSONValue] {
        let fields = JSONValue.object([
            "number": NativeValue.integer(position.number), "oldest": NativeValue.integer(position.oldest),
            "save": .object(["stringValue": position.save.json]),
            "ids": StructuredQuery.list(ids.map { .object(["stringValue": $0.description.json]) }),
        ])
        let path = names.path(ofEntry: position.number)
        let size = DocumentSize.bytes(ofDocument: path, fields: fields)
        if size > DocumentSize.most {
            throw RecordDatabaseError(
                .batchTooLarge, reason: "its entry in the journal has \(size) bytes, and at most \(DocumentSize.most)")
        }
        let creation = JSONValue.object([
            "update": .object(["name": path.json, "fields": fields]),
            "currentDocument": .object(["exists": .bool(false)]),
        ])
        let purged = max(former.oldest, 1)..<max(position.oldest, 1)
        return [creation] + purged.map { .object(["delete": names.path(ofEntry: $0).json]) }
    }
}

/// The place of an entry in the journal.
struct JournalPosition: Sendable {
    /// The number of the entry; 0 before the first one.
    let number: Int64

    /// The mark of the commit, which differs in a journal that was begun again.
    let save: String

    /// The first position from which on all entries exist.
    let oldest: Int64

    /// The numbers of entries; other programs may write any.
    static let numbers: Range<Int64> = 1..<1 << 62

    static let beginning = JournalPosition(number: 0, save: "", oldest: 0)

    /// - Throws: Nothing for these payloads.
    func token(of store: String) throws -> ChangeToken {
        try ChangeToken(store: store, payload: Array("\(number) \(save)".utf8))
    }

    /// - Throws: `RecordDatabaseError` with the code `changeTokenExpired` for a token of another database.
    init(_ token: ChangeToken, of store: String) throws {
        let parts = String(decoding: token.payload, as: UTF8.self).unicodeScalars
            .split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard token.store.utf8.elementsEqual(store.utf8), parts.count == 2, let number = Int64(parts[0]),
            number == 0 || Self.numbers.contains(number)
        else { throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherStore)) }
        (self.number, save, oldest) = (number, parts[1], 0)
    }

    init(number: Int64, save: String, oldest: Int64) {
        (self.number, self.save, self.oldest) = (number, save, oldest)
    }
}
