import Foundation

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsFile
@testable import TestSupport

/// Repeated kills of programs that continue with one file, and compact it during their saves.
///
/// - The file holds one whole day, not earlier than the last acknowledged one, and not later than the last one that was
///   begun; a verification finds no fault.
/// - While one program has the file open for writing, a second one is refused, until the first one is dead.
/// - If a program is killed while it makes a file, the next program makes the file, and no other file stays.
/// - A concurrent reader sees only whole days, never an earlier one, and the days that it has seen are durable. The
///   same holds for a reader that follows the changes, and for one that continues with its token after each kill.
struct Rounds {
    private let folder: String
    private let path: String
    private let writerRole: String
    private var random: SplitMix64
    private(set) var counts = KillCounts()
    private var day = 0

    /// A reader that continues after each kill, and its last state.
    private var follower: ChangeFollower?

    /// - Parameter acknowledgesTooEarly: Whether the writer reports a save before making it.
    init(folder: String, random: SplitMix64, acknowledgesTooEarly: Bool = false) {
        (self.folder, path, self.random) = (folder, folder + "/voyage.records", random)
        writerRole = acknowledgesTooEarly ? "lie" : "write"
    }

    private func demand(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Torn(description: what()) }
    }

    private mutating func noteCut(_ bytes: Int) {
        guard bytes > 0 else { return }
        counts.tornTails += 1
        counts.tornBytes += bytes
    }

    mutating func next() async throws {
        // A program that only holds the file is killed before the writer opens it.
        if counts.kills % 8 == 7 {
            let holder = try Child("hold", path)
            holder.wait(for: ["open", "error"])
            noteCut(holder.numbers("open").first ?? 0)
            try refuse("write", by: holder)
            holder.kill()
        }
        if counts.kills % 4 == 2 { try await killCreator() }
        let writer = try Child(writerRole, path)
        let reader = counts.kills % 3 == 0 && day > 0 ? try Child(random.pick(["read", "follow"]), path) : nil
        try demand(writer.wait(for: ["open"]), "the writer cannot open: \(writer.lines)")
        if counts.kills % 4 == 1 { try refuse("hold", by: writer) }
        let moments = ["batch", "piece", "piece", "saved", "compaction +", "compaction -", "index +", "closing +"]
        if !random.chance(oneIn: 4) { writer.wait(for: [random.pick(moments)], milliseconds: 1_000) }
        usleep(.random(in: 0...random.pick([1, 300, 5_000, 60_000, 300_000]), using: &random))
        writer.kill()
        reader?.kill()
        try await check(writer, reader)
    }

    /// Kills a program that makes another file: the file exists as a whole or not at all, and no other file stays.
    private mutating func killCreator() async throws {
        let path = folder + "/new.records"
        let creator = try Child("hold", path)
        creator.wait(for: ["creation", "error"])
        usleep(.random(in: 0...500, using: &random))
        creator.kill()
        if !creator.lines.contains("open 0") { counts.inCreations += 1 }
        let database = try FileRecordDatabase(path: path)
        try demand(try await database.day() == 0, "a new file has records")
        try await database.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("new.records") }
        try demand(names == ["new.records"], "leftover files of a creation: \(names)")
        try FileManager.default.removeItem(atPath: path)
    }

    /// Requires that a program is refused while another program has the file, or the other program if it has closed the
    /// file to open it again.
    private mutating func refuse(_ role: String, by holder: Child) throws {
        let other = try Child(role, path)
        other.wait(for: ["locked", "open", "error"])
        let isRefused = other.lines == ["locked"] || holder.wait(for: ["closing"]) && holder.wait(for: ["locked"])
        other.kill()
        try demand(isRefused, "not locked: \(other.lines), by \(holder.lines.suffix(5))")
        counts.refused += 1
    }

    private mutating func check(_ writer: Child, _ reader: Child?) async throws {
        try demand(!writer.lines.contains { $0.hasPrefix("error") }, "the writer failed: \(writer.lines.suffix(3))")
        counts.kills += 1
        if let begun = writer.numbers("batch").last, begun != writer.numbers("saved").last { counts.inBatches += 1 }
        if writer.wasIn("compaction") { counts.inCompactions += 1 }
        if writer.wasIn("index") { counts.inIndexes += 1 }
        if writer.wasIn("closing") { counts.inClosings += 1 }
        noteCut(writer.numbers("open").first ?? 0)

        // Half of the tails are left to the next writer.
        let database = try FileRecordDatabase(path: path, options: random.chance(oneIn: 2) ? .readOnly : .init())
        try await database.prepare()
        if !database.store.file.options.isReadOnly {
            noteCut(database.recoveredByteCount)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let leftovers = names.filter { $0.contains(CompactionLeftover.mark) }
            try demand(leftovers.isEmpty, "what a compaction left stays: \(leftovers)")
        }
        let found = try await database.day()
        let saved = writer.numbers("saved").last ?? day
        let begun = writer.numbers("batch").last ?? day
        try demand((saved...begun).contains(found), "day \(found), and not \(saved) to \(begun)")
        if found > saved { counts.unacknowledged += 1 }
        try await follow(database)
        let problems = try await database.verify()
        try demand(problems.isEmpty, "\(problems)")
        if !database.store.file.options.isReadOnly, random.chance(oneIn: 2) { try await database.close() }
        if let reader { try check(reader, found) }
        counts.days += found - day
        day = found
    }

    private mutating func follow(_ database: FileRecordDatabase) async throws {
        var next = if let follower { follower } else { try await ChangeFollower(snapshotOf: database) }
        let pageCount = next.pageCount
        try await next.catchUp(with: database, limit: random.pick([1, 10, 1_000]))
        let all = try await ChangeFollower(snapshotOf: database).records
        try demand(next.records == all, "the changes do not lead to the present records")
        counts.pages += next.pageCount - pageCount
        follower = next
    }

    private mutating func check(_ reader: Child, _ found: Int) throws {
        let days = reader.numbers("day")
        try demand(days.count == reader.lines.count, "the reader failed: \(reader.lines.suffix(3))")
        var last = day
        for next in days {
            try demand(next >= last, "the reader goes backwards: from \(last) to \(next)")
            last = next
        }
        try demand(last <= found, "the reader saw day \(last), and afterwards it was \(found)")
        counts.reads += days.count
    }
}
