import NestedRecords

extension Command {
    /// Lists the references to records.
    static let refs = Command(
        name: "refs",
        summary: "Lists the records that refer to these records",
        discussion: "Each line is a record and the path of its reference. Links are marked.",
        examples: [Example("records refs school.records Book/2", "Who refers to the book")],
        arguments: [.records, Argument("ID", "A record's type and name: Person/ada.", .repeated, kind: .id)],
        isPaged: true
    ) { arguments in
        let ids = try arguments.texts("ID").map(arguments.id).uniqued()
        let input = try await arguments.input()
        let database = try input.database()
        let referrers = try await input.naming { try await database.referrers(of: ids) }
        let output = arguments.console.output
        for id in ids {
            for referrer in (referrers[id] ?? []).sorted(by: { ($0.record, $0.path) < ($1.record, $1.path) }) {
                let target = ids.count > 1 ? " → \(id)" : ""
                try output.write("\(referrer)\(target)\(referrer.reference.isLink ? " (link)" : "")".visible + "\n")
            }
        }
        let present = try await database.recordsByID(for: ids)
        let missing = ids.filter { present[$0] == nil }
        guard missing.isEmpty else { throw try await input.missing(missing, in: database) }
        return .done
    }
}
