@_spi(Engines) import NestedRecords

/// Reads the audiences of a file: all of the log the first time and after each compaction, then what is new.
final class AudienceReader: Sendable {
    private let reader: Reader
    private let file: OpenFile

    /// What was read, except while the thread reads.
    private let known = Lock<FileAudiences?>(nil)

    private let thread = BlockingQueue(label: "NestedRecords.FileRecordDatabase.audiences")

    init(_ reader: Reader) { (self.reader, file) = (reader, reader.file) }

    func changeToken(of view: AudienceView) async throws -> ChangeToken {
        try await reading(view) { audiences in
            if let refusal = audiences.kept.refusal(of: view, since: audiences.position) {
                throw RecordDatabaseError(refusal)
            }
            return audiences.history.token(at: audiences.position)
        }
    }

    func changes(of view: AudienceView, since token: AudienceToken, limit: Int) async throws -> AudienceChanges {
        let (page, last, next) = try await reading(view) { audiences in
            let start = try audiences.history.position(of: token.base)
            if let refusal = audiences.kept.refusal(of: view, since: start) { throw RecordDatabaseError(refusal) }
            let page = try audiences.kept.index.page(
                of: view, since: AudiencePlace(number: start, listing: token.listing), until: audiences.position,
                limit: limit)
            return (page, audiences.position, audiences.history.token(at: page.place.number))
        }
        var found: [Record.ID: Record] = [:]
        for record in page.saved.isEmpty ? [] : try await reader.records(for: page.saved) {
            // A record that has changed since then may be outside now.
            guard let tag = record.metadata?.changeTag, let position = UInt64(tag, radix: 36), position <= last else {
                continue
            }
            found[record.id] = record
        }
        return AudienceChanges(page, records: page.saved.compactMap { found[$0] }, token: next)
    }

    private func reading<Result: Sendable>(
        _ view: AudienceView, _ body: @escaping @Sendable (FileAudiences) throws -> Result
    ) async throws -> Result {
        try await thread.run { [self] in
            let audiences = try current(for: view)
            // Nothing else refers to it while it is extended: otherwise all of it would be copied.
            defer { known.withLock { $0 = audiences } }
            return try body(audiences)
        }
    }

    private func current(for view: AudienceView) throws -> FileAudiences {
        while true {
            let (storage, part, end) = try file.withOpenView { ($0.file, $0.part, $0.end) }
            let former = known.take()
            let types = Set(view.wholeTypes).union(former?.wholeTypes ?? [])
            let isUsable = former.map { $0.part == part && $0.wholeTypes == types } ?? false
            var audiences: FileAudiences
            if isUsable, let former = consume former {
                audiences = former
            } else {
                audiences = FileAudiences(
                    part, declarations: try reader.declarations(), wholeTypes: types,
                    maximumDepartureCount: file.options.maximumDeletionCount)
            }
            if try audiences.extend(to: end, of: storage) { return audiences }
        }
    }
}
