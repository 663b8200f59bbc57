import NestedRecords
import TestSupport
import Testing

/// A random history of several writers.
struct StoredHistory {
    typealias Desk = StoredHistoryTests.Desk
    typealias Item = StoredHistoryTests.Item
    typealias Part = StoredHistoryTests.Part
    typealias AllFields = [Record.ID: [String: Record.Value]]

    private struct Writer {
        var stored: Stored<Desk>

        /// The value's fields when it was fetched or saved last.
        var before: AllFields

        /// The versions of all records that this writer has seen or made.
        var known: [Record.ID: String]
    }

    private enum Mode: CaseIterable { case plain, fieldwise, closure }

    var doCallsFail = false
    private let seed: UInt64
    private let database: WatchedDatabase
    private var generator: SplitMix64
    private var writers: [Writer?] = [nil, nil, nil]
    private var counter = 0
    private var step = ""
    private var tagsByEntityTag: [String: [Record.ID: String]] = [:]

    init(seed: UInt64, batchLimit: Int) async throws {
        self.seed = seed
        database = WatchedDatabase(batchLimit: batchLimit)
        generator = SplitMix64(seed: seed)
        let parts = (0..<4).map { Part(id: "p\($0)", text: "t", colour: $0 == 0 ? "red" : nil) }
        let items = (0..<3).map { Item(id: "i\($0)", label: "l", parts: [parts[$0], parts[3]]) }
        try await database.values.insert(Desk(id: "d0", note: "n", main: items[0], items: items))
        try await database.values.insert(Desk(id: "d1", items: [items[0]]))
        _ = database.takeTransitions()
    }

    mutating func run(steps: Int) async throws {
        for number in 0..<steps {
            step = "\(number)"
            let writer = Int.random(in: 0..<writers.count, using: &generator)
            switch Int.random(in: 0..<16, using: &generator) {
            case 0...2: try await fetch(writer)
            case 3...7: change(writer)
            case 8...11: try await save(writer)
            case 12...13: try await writeDirectly()
            case 14: try await update()
            default: try await delete(writer)
            }
            _ = database.takeTransitions()
        }
    }

    private func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
        if !condition { Issue.record("seed \(seed), step \(step): \(what())") }
    }

    private mutating func fresh(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(counter)"
    }
}

// MARK: Reading

extension StoredHistory {
    private mutating func fetch(_ writer: Int) async throws {
        step += " fetch"
        try await repair()
        let all = try await database.base.allRecords
        let known = all.compactMapValues { $0.metadata?.changeTag }
        let ids = try ["d0", "d1"].map { try Record.ID("Desk/\($0)") }.filter { all[$0] != nil }
        guard !ids.isEmpty else {
            try await database.values.insert(Desk(id: "d0", title: fresh("new")))
            return
        }
        if generator.chance(oneIn: 3) {
            let several = try await database.values.fetch(ids.map { RecordLink<Desk>(to: $0) })
            let index = Int.random(in: several.indices, using: &generator)
            writers[writer] = Writer(stored: several[index], before: try several[index].value.fields, known: known)
        } else {
            let stored = try await database.values.fetch(RecordLink<Desk>(to: generator.pick(ids)))
            writers[writer] = Writer(stored: stored, before: try stored.value.fields, known: known)
        }
        if let stored = writers[writer]?.stored { noteEntityTag(stored) }
    }

    /// Makes records for the references that lead nowhere.
    private func repair() async throws {
        for reference in try await database.base.danglingReferences() {
            let fields: Record.Fields =
                reference.target.type == "Part"
                ? ["text": "repaired"] : ["label": "repaired", "parts": .list([])]
            let record = try Record(id: reference.target, fields: fields)
            try await database.base.commit(RecordBatch(saving: [record]))
        }
    }

    private mutating func noteEntityTag(_ stored: Stored<Desk>) {
        let tags = stored.changeTags
        if let other = tagsByEntityTag[stored.entityTag] { expect(other == tags, "one entity tag for two versions") }
        for (entityTag, other) in tagsByEntityTag where other == tags {
            expect(entityTag == stored.entityTag, "two entity tags for one version")
        }
        tagsByEntityTag[stored.entityTag] = tags
    }
}

// MARK: Changing

extension StoredHistory {
    private mutating func change(_ writer: Int) {
        guard var desk = writers[writer]?.stored.value else { return }
        let items = desk.items.map(\.id)
        let item = items.isEmpty ? "" : generator.pick(items)
        let parts = desk.items.flatMap(\.parts).map(\.id)
        let part = parts.isEmpty ? "" : generator.pick(parts)
        let text = fresh("v")
        let number = Int.random(in: 0..<3, using: &generator)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0: desk.title = text
        case 1: desk.note = number == 0 ? nil : text
        case 2: desk.lamp.colour = text
        case 3: desk.lamp.watts = number == 0 ? nil : number
        case 4: desk.changeItem(item) { $0.label = text }
        case 5: desk.changeItem(item) { $0.size = number == 0 ? nil : number }
        case 6, 7: desk.changePart(part) { $0.text = text }
        case 8: desk.changePart(part) { $0.colour = number == 0 ? nil : text }
        case 9: desk.items.removeAll { $0.id == item }
        case 10: desk.main = number == 0 ? nil : desk.item(item)
        case 11:
            // May be there already, in another desk or by another writer.
            let id = "i\(Int.random(in: 0..<6, using: &generator))"
            desk.items.append(desk.item(id) ?? Item(id: id, label: number == 0 ? text : "l"))
        case 12:
            let id = "p\(Int.random(in: 0..<6, using: &generator))"
            let part = desk.part(id) ?? Part(id: id, text: number == 0 ? text : "t")
            desk.changeItem(item) { $0.parts.append(part) }
        default: desk.changeItem(item) { if !$0.parts.isEmpty { $0.parts.removeLast() } }
        }
        writers[writer]?.stored.value = desk
    }

    /// Another program that knows more fields.
    private mutating func writeDirectly() async throws {
        step += " direct"
        let all = try await database.base.allRecords.values.sorted { $0.id < $1.id }
        guard !all.isEmpty else { return }
        var record = generator.pick(all)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0, 1: record["extra"] = .string(fresh("x"))
        case 2:
            if case .map(var lamp)? = record["lamp"] {
                lamp["extra"] = .string(fresh("x"))
                record["lamp"] = .map(lamp)
            } else {
                record["extra"] = .string(fresh("x"))
            }
        default:
            let field = ["Desk": "title", "Item": "label", "Part": "text"][record.id.type] ?? ""
            record[field] = .string(fresh("x"))
        }
        try await database.base.commit(RecordBatch(saving: [record]))
    }

    private mutating func update() async throws {
        step += " update"
        try await repair()
        let all = try await database.base.allRecords
        let text = fresh("u")
        guard let id = all.keys.filter({ $0.type == "Item" }).min() else { return }
        let updated = try await database.values.update(Item.self, named: id.name) { $0.label = text }
        let now = try await database.base.record(for: id)
        var expected = all[id]?.fields
        expected?["label"] = .string(text)
        expect(updated.label == text && now?.fields == expected, "update: \(String(describing: now))")
        for transition in database.takeTransitions() { expect(transition.id == id, "update changed \(transition.id)") }
    }
}

// MARK: Saving

extension StoredHistory {
    private mutating func save(_ number: Int) async throws {
        guard var writer = writers[number] else { return }
        let mode = generator.pick(Mode.allCases)
        let isDeleting = generator.chance(oneIn: 4)
        step += " save of writer \(number), \(mode)\(isDeleting ? ", deleting" : "")"
        let old = try await database.base.allRecords
        let after = try writer.stored.value.fields
        let removed = writer.before.keys.filter { after[$0] == nil }
        if doCallsFail, generator.chance(oneIn: 2) {
            database.fail(atCall: Int.random(in: 1...4, using: &generator))
        }
        _ = database.takeTransitions()
        var failure: (any Error)?
        do {
            switch mode {
            case .plain: try await database.values.save(&writer.stored, deletesRemovedRecords: isDeleting)
            case .fieldwise:
                try await database.values.save(
                    &writer.stored, merging: { try $0.merged() }, deletesRemovedRecords: isDeleting)
            case .closure:
                let merge: (SaveConflict) throws -> Record = { conflict in conflict.merged { $0.client ?? $0.server } }
                try await database.values.save(&writer.stored, merging: merge, deletesRemovedRecords: isDeleting)
            }
        } catch {
            failure = error
        }
        database.fail(atCall: nil)
        let transitions = database.takeTransitions()
        let new = try await database.base.allRecords
        for transition in transitions {
            check(transition, by: writer, after, removed: isDeleting ? removed : [], mode)
        }
        if let failure {
            try checkFailure(failure, of: &writer, after, transitions, old, new)
        } else {
            try await checkSuccess(of: &writer, after, removed: isDeleting ? removed : [], old, new)
        }
        writers[number] = writer
    }

    /// A commit changes only what its writer meant to change, and only what the writer has seen.
    private func check(
        _ transition: WatchedDatabase.Transition, by writer: Writer, _ after: AllFields, removed: [Record.ID],
        _ mode: Mode
    ) {
        let id = transition.id
        guard let new = transition.new else {
            expect(removed.contains(id), "deleted \(id), which was not removed")
            if let old = transition.old {
                expect(old.metadata?.changeTag == writer.known[id], "deleted \(id) in a version that was not read")
            }
            return
        }
        let before = writer.before[id]
        if let old = transition.old, mode == .plain {
            expect(old.metadata?.changeTag == writer.known[id], "replaced \(id) in a version that was not read")
        }
        let oldFields = transition.old?.fields ?? Record.Fields()
        for name in Set(oldFields.map(\.name) + new.fields.map(\.name)) where oldFields[name] != new.fields[name] {
            let isMeant = before?[name] != after[id]?[name]
            expect(
                isMeant && (name == "lamp" || new.fields[name] == after[id]?[name]),
                "\(id), \(name): \(oldFields[name] ?? .null) became \(new.fields[name] ?? .null), meant was "
                    + "\(before?[name] ?? .null) to \(after[id]?[name] ?? .null)")
        }
        // A closure may decide against it.
        if mode != .closure, case .map(let old)? = oldFields["lamp"], case .map(let new)? = new.fields["lamp"] {
            expect(old["extra"] == new["extra"], "an unknown member of an embedded value is lost")
        }
    }

    private func checkFailure(
        _ failure: any Error, of writer: inout Writer, _ after: AllFields,
        _ transitions: [WatchedDatabase.Transition], _ old: [Record.ID: Record], _ new: [Record.ID: Record]
    ) throws {
        if failure is WatchedDatabase.Failure {
            expect(doCallsFail, "failed without reason")
        }
        expect(try writer.stored.value.fields == after, "a failed save has changed the value")
        let code = (failure as? RecordDatabaseError)?.code
        guard code == .partiallySaved || code == .savedButNotDecoded else {
            expect(old == new, "a save that threw \(failure) has changed records")
            return
        }
        let saved = (failure as? RecordDatabaseError)?.savedMetadata ?? [:]
        if code == .savedButNotDecoded {
            expect(
                try doCallsFail || !hasNoDangling(new) || new[writer.stored.recordID] == nil,
                "saved and not decoded: \(failure)")
        }
        var named: Set<Record.ID> = []
        for transition in transitions {
            guard let metadata = transition.new?.metadata else { continue }
            // What was merged is not in the value.
            let isMerged = transition.old.map { $0.metadata?.changeTag != writer.known[transition.id] } ?? false
            if !isMerged {
                writer.known[transition.id] = metadata.changeTag
                writer.before[transition.id] = after[transition.id]
            }
            if isMerged, code == .partiallySaved { continue }
            named.insert(transition.id)
            expect(saved[transition.id] == metadata, "\(transition.id) is saved, and the error does not say so")
        }
        expect(Set(saved.keys) == named, "the error says too much")
    }

    private func hasNoDangling(_ records: [Record.ID: Record]) throws -> Bool {
        records.values.allSatisfy { $0.references.allSatisfy { records[$0.id] != nil } }
    }

    private mutating func checkSuccess(
        of writer: inout Writer, _ after: AllFields, removed: [Record.ID], _ old: [Record.ID: Record],
        _ new: [Record.ID: Record]
    ) async throws {
        for (id, fields) in after {
            for name in Set(fields.keys).union(writer.before[id].map { Set($0.keys) } ?? [])
            where writer.before[id]?[name] != fields[name] && name != "lamp" {
                // Another writer's record with the same content, and more, is as good.
                if writer.before[id] == nil, fields[name] == nil || old[id]?[name] == new[id]?[name] { continue }
                expect(new[id]?[name] == fields[name], "the change of \(id), \(name) is not saved")
            }
        }
        for id in removed { expect(new[id] == nil, "\(id) was removed, and is there") }
        let changed = old.keys.filter { old[$0] != new[$0] } + new.keys.filter { old[$0] == nil }
        for id in changed { writer.known[id] = new[id]?.metadata?.changeTag }
        writer.before = try writer.stored.value.fields
        noteEntityTag(writer.stored)
        guard try hasNoDangling(new), new[writer.stored.recordID] != nil else { return }
        let fetched = try await database.values.fetch(RecordLink<Desk>(to: writer.stored.recordID))
        noteEntityTag(fetched)
        if fetched.changeTags.allSatisfy({ writer.known[$0.key] == $0.value }) {
            expect(fetched.value == writer.stored.value, "not what a fetch gives: \(writer.stored), \(fetched)")
            expect(fetched.changeTags == writer.stored.changeTags, "other versions than a fetch gives")
            expect(fetched.entityTag == writer.stored.entityTag, "another entity tag than a fetch gives")
            expect(try writer.stored.changes().isEmpty, "changes after a save")
        } else if fetched.changeTags != writer.stored.changeTags {
            expect(fetched.entityTag != writer.stored.entityTag, "the same entity tag for other versions")
        }
        if writer.stored.changeTags == fetched.changeTags {
            writer.known = new.compactMapValues { $0.metadata?.changeTag }
        }
    }
}

// MARK: Deleting

extension StoredHistory {
    private mutating func delete(_ number: Int) async throws {
        guard let writer = writers[number] else { return }
        let old = try await database.base.allRecords
        var options = generator.pick([[], .clearing, .dangling] as [DeletionOptions])
        if generator.chance(oneIn: 2) { options.insert(.contents) }
        step += " delete \(options.rawValue)"
        let isDesk = generator.chance(oneIn: 2)
        let items = old.keys.filter { $0.type == "Item" }.sorted()
        guard isDesk || !options.contains(.dangling) && !items.isEmpty else { return }
        let root = isDesk ? writer.stored.recordID : generator.pick(items)
        var failure: (any Error)?
        var deleted: [Record.ID] = []
        do {
            if isDesk {
                deleted = try await database.values.delete(writer.stored, options)
            } else {
                deleted = try await database.delete([root], options)
            }
        } catch {
            failure = error
        }
        let new = try await database.base.allRecords
        if isDesk, old[root]?.metadata?.changeTag != writer.known[root] {
            expect(failure != nil && old == new, "deleted another version")
        }
        if let failure {
            let code = (failure as? RecordDatabaseError)?.code
            expect(code == .versionMismatch || code == .stillReferenced, "\(failure)")
            expect(old == new, "a deletion that threw \(failure) has changed records")
            return
        }
        let expected = options.contains(.contents) ? Self.unshared(root, old) : [root]
        expect(Set(deleted) == expected, "deleted \(deleted), not \(expected)")
        expect(Set(old.keys).subtracting(new.keys) == expected.intersection(old.keys), "others are gone")
        for (id, record) in new where record != old[id] {
            expect(options.contains(.clearing), "\(id) has changed")
            expect(record["extra"] == old[id]?["extra"], "\(id) has lost a field")
            expect(record.references.allSatisfy { !expected.contains($0.id) }, "\(id) is not cleared")
        }
    }

    /// The records that only the root leads to.
    private static func unshared(_ root: Record.ID, _ all: [Record.ID: Record]) -> Set<Record.ID> {
        var reached: Set = [root]
        var open = [root]
        while let id = open.popLast() {
            for reference in all[id]?.references ?? [] where reached.insert(reference.id).inserted {
                open.append(reference.id)
            }
        }
        reached.formIntersection(all.keys)
        reached.insert(root)
        var count = 0
        repeat {
            count = reached.count
            for record in all.values where !reached.contains(record.id) {
                for reference in record.references where reference.id != root { reached.remove(reference.id) }
            }
        } while reached.count < count
        return reached
    }
}
