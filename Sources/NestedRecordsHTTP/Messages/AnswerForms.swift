import NestedRecords

/// The new metadata of saved records: for each `[id, tag, created, modified]`.
enum SavedForm {
    static func value(of saved: [Record.ID: Record.Metadata]) -> Record.Value {
        .list(
            saved.map { id, metadata in
                [
                    Record.Value(id), .string(metadata.changeTag), .date(metadata.creationDate),
                    .date(metadata.modificationDate),
                ]
            })
    }

    static func saved(in value: Record.Value) throws -> [Record.ID: Record.Metadata]? {
        var saved: [Record.ID: Record.Metadata] = [:]
        for entry in value.list ?? [] {
            guard let parts = entry.list, parts.count == 4, let id = try parts[0].id, let tag = parts[1].text,
                let created = parts[2].date, let modified = parts[3].date
            else { return nil }
            saved[id] = Record.Metadata(changeTag: tag, creationDate: created, modificationDate: modified)
        }
        return saved
    }
}

/// A summary in a message.
enum SummaryForm {
    static func value(of summary: RecordSummary) -> Record.Value {
        .map(
            Record.Fields(
                [
                    ("group", summary.group), ("count", Record.Value(summary.count)),
                    ("numbers", Record.Value(summary.numberCount)), ("sum", summary.sum),
                    ("double", .double(summary.double)), ("average", summary.average.map { .double($0) }),
                    ("min", summary.min), ("max", summary.max),
                ].compactMap { (name: String, value: Record.Value?) in value.map { (name, $0) } }))
    }

    static func summary(_ value: Record.Value) throws -> RecordSummary? {
        guard let map = value.members else { return nil }
        return RecordSummary(
            group: map["group"], count: try map.integer("count"), numberCount: try map.integer("numbers"),
            sum: try map.required("sum") { $0 }, average: try map.optional("average", \.double), min: map["min"],
            max: map["max"], double: try map.required("double", \.double))
    }
}

/// A referrer in a message: `[target, record, path, reference]`.
enum ReferrerForm {
    static func values(of referrers: [Record.ID: [RecordReferrer]]) -> Record.Value {
        .list(
            referrers.flatMap { target, list in
                list.map {
                    [Record.Value(target), Record.Value($0.record), .string($0.path), .reference($0.reference)]
                }
            })
    }

    static func referrer(_ value: Record.Value) throws -> (target: Record.ID, referrer: RecordReferrer)? {
        guard let parts = value.list, parts.count == 4, let target = try parts[0].id, let record = try parts[1].id,
            let path = parts[2].text, case .reference(let reference) = parts[3]
        else { return nil }
        return (target, RecordReferrer(record: record, path: path, reference: reference))
    }
}

/// Tokens and changes in a message.
enum FeedForm {
    static func token(_ value: Record.Value) -> ChangeToken? { value.text.flatMap { ChangeToken($0) } }

    static func message(of changes: RecordChanges) -> Message {
        func list(_ ids: [Record.ID]) -> Record.Value? { ids.isEmpty ? nil : Record.Value(ids) }
        return Message(
            [
                "token": .string(changes.token.description), "isComplete": .bool(changes.isComplete),
                "deleted": list(changes.deleted), "departed": list(changes.departed), "left": list(changes.left),
            ], records: changes.saved)
    }

    static func changes(in message: Message) throws -> RecordChanges {
        let map = message.map
        return RecordChanges(
            saved: message.records, deleted: try map.ids("deleted"), departed: try map.ids("departed"),
            left: try map.ids("left"), token: try map.required("token", token),
            isComplete: try map.required("isComplete", \.bool))
    }
}
