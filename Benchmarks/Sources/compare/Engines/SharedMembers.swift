#if Engines
import Foundation
import NestedRecords
import NestedRecordsSQLite

/// Projects with sites, visits and observations in SQLite: one list of members a project, and the same members repeated in
/// every record.
struct SharedMembers {
    private struct Project: RecordCodable, Identifiable {
        @RecordName var id: String
        var members: [String]
        static let recordType = "Project"
    }

    private struct Part<Kind: PartKind>: RecordCodable, Identifiable {
        @RecordName var id: String
        var project: RecordLink<Project>
        var members: [String]
        static var recordType: String { Kind.name }
    }

    private static let types = ["Site", "Visit", "Observation"]

    private let isQuick: Bool
    private let folder: URL
    private let counts: [Int]

    init(isQuick: Bool, in folder: URL) {
        (self.isQuick, self.folder) = (isQuick, folder)
        counts = isQuick ? [2, 4, 16] : [10, 100, 1_000]
    }

    func run() async throws -> Section {
        let size = counts.reduce(1, +)
        var section = Section(
            "members", "Ten projects with ten members, \(size) records each, in SQLite; wall-clock time, durable saves")
        for isRepeated in [false, true] {
            let title = isRepeated ? "members repeated" : "one list"
            let file = folder.appending(path: "members-\(isRepeated).sqlite")
            let database = try SQLiteRecordDatabase(path: file.path)
            try await declare(isRepeated, in: database)
            let members = (0..<10).map { "member \($0)" }
            for project in 0..<10 {
                try await database.commit(RecordBatch(saving: try records(project, members, isRepeated)))
            }
            try await SQLiteRecordDatabase(path: file.path).close()
            section.add("\(title), on disk", Double(try FileManager.default.fileSize(at: file)) / 1e6, "MB")
            let feeds = try ["member 0", "new"].map { try feed(of: $0, isRepeated, in: database) }
            let tokens = [try await feeds[0].changeToken(), try await feeds[1].changeToken()]
            let changed = try records(0, members + ["new"], isRepeated).filter {
                isRepeated || $0.id.type == Project.recordType
            }
            let seconds = try await time {
                try await database.commit(RecordBatch(saving: changed, savePolicy: .overwrite))
            }.seconds
            section.add("\(title), a member is added", seconds * 1e3, "ms")
            for (name, feed, token) in [("another member", feeds[0], tokens[0]), ("the new one", feeds[1], tokens[1])] {
                var (token, found) = (token, 0)
                let seconds = try await time {
                    while true {
                        let page = try await feed.changes(since: token, limit: 100)
                        found += page.saved.count
                        token = page.token
                        if page.isComplete { break }
                    }
                }.seconds
                section.add("\(title), records that \(name) receives", Double(found), "")
                section.add("  time of these pages", seconds * 1e3, "ms")
            }
            try await database.close()
        }
        return section
    }

    private func declare(_ isRepeated: Bool, in database: SQLiteRecordDatabase) async throws {
        try await database.declare(RecordAudience(Project.recordType, readers: "members"))
        for type in Self.types {
            try await database.declare(
                isRepeated
                    ? RecordAudience(type, readers: "members")
                    : RecordAudience(type, container: "project", ofType: Project.recordType))
        }
    }

    private func feed(of reader: String, _ isRepeated: Bool, in database: SQLiteRecordDatabase) throws -> any RecordFeed
    {
        let scope = try RecordStore(database).scoped(for: reader) {
            $0.rule(Project.self) { $0.members.contains(reader) }
            if isRepeated {
                $0.rule(Part<Site>.self) { $0.members.contains(reader) }
                $0.rule(Part<Visit>.self) { $0.members.contains(reader) }
                $0.rule(Part<Observation>.self) { $0.members.contains(reader) }
            } else {
                $0.rule(Part<Site>.self) { $0.project.members.contains(reader) }
                $0.rule(Part<Visit>.self) { $0.project.members.contains(reader) }
                $0.rule(Part<Observation>.self) { $0.project.members.contains(reader) }
            }
        }
        guard let feed = scope.database.feed else { throw SQLiteFailure(message: "no feed") }
        return feed
    }

    /// The records of a project.
    private func records(_ project: Int, _ members: [String], _ isRepeated: Bool) throws -> [Record] {
        let id = try Record.ID(type: Project.recordType, name: "\(project)")
        let list = Record.Value.list(members.map { .string($0) })
        var records = [try Record(id: id, fields: ["members": list])]
        for (position, type) in Self.types.enumerated() {
            for number in 0..<counts[position] {
                var record = try Record(
                    id: Record.ID(type: type, name: "\(project)-\(number)"),
                    fields: [
                        "project": .reference(Record.Reference(to: id)),
                        "text": .string("What was seen on this day, number \(number)"),
                    ])
                if isRepeated { record["members"] = list }
                if position > 0 {
                    // A visit is to a site, an observation of a visit.
                    let parent = try Record.ID(
                        type: Self.types[position - 1], name: "\(project)-\(number % counts[position - 1])")
                    record[Self.types[position - 1].lowercased()] = .reference(Record.Reference(to: parent))
                }
                records.append(record)
            }
        }
        return records
    }
}

private protocol PartKind: Sendable { static var name: String { get } }
private enum Site: PartKind { static let name = "Site" }
private enum Visit: PartKind { static let name = "Visit" }
private enum Observation: PartKind { static let name = "Observation" }
#endif
