import Foundation

@testable import NestedRecords
@testable import NestedRecordsFile

/// Opens bytes as a record file, on a disk in memory.
///
/// Checksums are repaired first if the recipe requests it, see FileRecipe. For any contents, the only error is a
/// RecordDatabaseError, and:
///
/// - Opening for reading changes nothing, and has the same result as opening for writing: the same error or the same
///   records. Bytes that the latter cuts off are kept exactly.
/// - A second scan returns the same as the first.
/// - If a verification finds no fault, scan, fetch, scans by type and statistics agree, no record occurs twice, a save
///   and a compaction succeed, and all records exist afterwards, also after opening the file again.
/// - A save that has thrown has changed nothing.
/// - Undamaged records are salvaged from every file that has a header. Without damage these are all records.
struct FileCheck {
    let recipe: FileRecipe
    let disk: MemoryDisk

    init(_ recipe: FileRecipe) {
        self.recipe = recipe
        disk = MemoryDisk(recipe.file)
    }

    private func open(isReadOnly: Bool = false) -> (database: FileRecordDatabase?, error: String) {
        do {
            let isRelaxed = recipe.actions.contains(.isRelaxed)
            return (try disk.open(isReadOnly: isReadOnly, isRelaxed: isRelaxed), "")
        } catch {
            return (nil, FileLook.text(of: error))
        }
    }

    func run() async {
        let (reader, readError) = open(isReadOnly: true)
        let read = if let reader { await FileLook(reader) } else { FileLook?.none }
        let salvage = await salvage()
        demand(disk.names == [MemoryDisk.path] && disk.bytes() == recipe.file, "a reader changes the file")
        demand(reader == nil || salvage != nil, "what can be opened cannot be salvaged")
        if let reader, let read, let salvage, reader.recoveredByteCount == 0, read.isSound, salvage.isWhole {
            demand(salvage.records == read.records, "something else is salvaged")
        }
        let (database, writeError) = open()
        demand(readError == writeError, "other errors: \(readError), \(writeError)")
        guard let database else {
            demand(disk.bytes() == recipe.file, "what cannot be opened is changed")
            return
        }
        let kept = recipe.file.dropLast(database.recoveredByteCount)
        demand(
            disk.bytes().map(Self.withoutHeads) == Self.withoutHeads(Array(kept)),
            "more is cut off than is said")
        let torn = recipe.file.suffix(database.recoveredByteCount)
        demand(torn.isEmpty || disk.bytes(".torn") == Array(torn), "what is cut off is not kept")
        var look = await FileLook(database)
        demand(look == read, "the writer sees something else than the reader: \(look), \(String(describing: read))")
        if recipe.actions.contains(.compactsFirst) { look = await compact(database, look) }
        look = await save(in: database, look)
        if recipe.actions.contains(.compacts) { look = await compact(database, look) }
        await close(database, look)
    }

    /// The bytes of a file without the duplicated parts, which are rebuilt.
    private static func withoutHeads(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for offset in (0..<FileHeader.batchesStart).clamped(to: bytes.indices) { bytes[offset] = 0 }
        return bytes
    }

    /// The undamaged records, and whether nothing is damaged; nil without a header.
    private func salvage() async -> (records: [Record.ID: [UInt8]], isWhole: Bool)? {
        do {
            let salvage = try await FileRecordDatabase.salvage(from: MemoryDisk.path, system: disk.system)
            var records: [Record.ID: [UInt8]] = [:]
            for try await record in salvage.records {
                demand(records.updateValue(FileLook.bytes(of: record), forKey: record.id) == nil, "salvaged twice")
            }
            demand(records.count == salvage.recordCount, "another number of records is salvaged")
            return (records, salvage.problems.isEmpty)
        } catch {
            _ = FileLook.text(of: error)
            return nil
        }
    }

    /// Replaces, adds and deletes a record in one batch.
    private func save(in database: FileRecordDatabase, _ before: FileLook) async -> FileLook {
        let ids = before.records.keys.sorted()
        do {
            let new = try Record(id: Record.ID("Fuzz/new"), fields: ["n": 1])
            let changed = try ids.first.map { try Record(id: $0, fields: ["changed": true]) }
            let saved = Array([new.id: new].merging(changed.map { [$0.id: $0] } ?? [:]) { $1 }.values)
            let deleted = ids.last.flatMap { last in saved.contains { $0.id == last } ? nil : last }
            let metadata = try await database.commit(
                RecordBatch(saving: saved, deletingAnyVersionOf: deleted.map { [$0] } ?? [], savePolicy: .overwrite))
            let look = await FileLook(database)
            guard before.isSound else { return look }
            let found = try await database.records(for: saved.map(\.id))
            demand(found.count == saved.count, "a saved record is missing, or occurs twice")
            demand(
                saved.allSatisfy { record in found.contains { $0.id == record.id && $0.fields == record.fields } },
                "a saved record is missing")
            demand(look.isSound, "a save has damaged the file")
            var expected = before.records
            if let deleted { expected[deleted] = nil }
            for record in saved {
                var record = record
                record.metadata = metadata[record.id]
                expected[record.id] = FileLook.bytes(of: record)
            }
            demand(look.records == expected, "a save has changed something else")
            return look
        } catch {
            demand(!before.isSound, "a sound file cannot be written: \(FileLook.text(of: error))")
            _ = FileLook.text(of: error)
            let look = await FileLook(database)
            demand(look == before, "a save that failed has changed the file")
            return before
        }
    }

    private func compact(_ database: FileRecordDatabase, _ before: FileLook) async -> FileLook {
        do {
            try await database.compact()
            let after = await FileLook(database)
            demand(!before.isSound || after == before, "a compaction has changed the records")
            return after
        } catch {
            demand(!before.isSound, "a sound file cannot be compacted: \(FileLook.text(of: error))")
            _ = FileLook.text(of: error)
            return before
        }
    }

    /// Closes the file or leaves it open, and opens it again.
    private func close(_ database: FileRecordDatabase, _ before: FileLook) async {
        if recipe.actions.contains(.closes) {
            do { try await database.close() } catch { fail("cannot be closed: \(error)") }
        } else {
            disk.unlockAll()
        }
        let (again, error) = open()
        guard before.isSound else { return }
        demand(again != nil, "a sound file cannot be opened again: \(error)")
        guard let again else { return }
        demand(again.recoveredByteCount == 0, "something sound is cut off")
        let after = await FileLook(again)
        demand(after == before, "the contents differ after opening again")
    }
}
