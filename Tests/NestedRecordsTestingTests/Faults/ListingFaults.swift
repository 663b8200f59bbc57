import NestedRecords
import TestSupport

extension DatabaseFault {
    static let listing = [
        DatabaseFault("lists records twice", violates: "lists every record once", saying: "is listed twice") {
            BrokenDatabase(list: { base, type in
                RecordSequence.changing(base, type) { $0 + $0 }
            })
        },
        DatabaseFault("lists a page", violates: "lists every record once", saying: "10 of 60 records are not listed") {
            BrokenDatabase(list: { base, type in
                RecordSequence.changing(base, type) { Array($0.prefix(50)) }
            })
        },
        DatabaseFault(
            "lists versions in the order of UTF-16", violates: "lists the versions of a type in pages",
            saying: "the versions are not in the order of their names"
        ) {
            var database = BrokenDatabase()
            database.listVersions = { base, type, name, limit in
                func isBefore(_ left: String, _ right: String) -> Bool {
                    left.utf16.lexicographicallyPrecedes(right.utf16)
                }
                let all = try await base.versions(ofType: type, after: nil, limit: .max)
                let rest = all.filter { version in name.map { isBefore($0, version.id.name) } ?? true }
                return Array(rest.sorted { isBefore($0.id.name, $1.id.name) }.prefix(limit))
            }
            return database
        },
        DatabaseFault(
            "lists versions from a record instead of after it", violates: "lists the versions of a type in pages",
            saying: "versions are listed twice"
        ) {
            var database = BrokenDatabase()
            database.listVersions = { base, type, name, limit in
                let all = try await base.versions(ofType: type, after: nil, limit: .max)
                let start = name.flatMap { name in all.firstIndex { $0.id.name == name } } ?? 0
                return Array(all.dropFirst(start).prefix(limit))
            }
            return database
        },
        DatabaseFault(
            "lists versions of a former state", violates: "lists the versions of a type in pages",
            saying: "and the records have"
        ) {
            var database = BrokenDatabase()
            database.listVersions = { base, type, name, limit in
                try await base.versions(ofType: type, after: name, limit: limit).map {
                    RecordBatch.VersionedID($0.id, version: .changeTag("former"))
                }
            }
            return database
        },
        DatabaseFault(
            "lists types that begin alike", violates: "lists the records of a type and no others",
            saying: "is listed, but does not belong there"
        ) {
            BrokenDatabase(list: { base, type in
                RecordSequence.changing(base, nil) { $0.filter { $0.id.type.hasPrefix(type ?? "") } }
            })
        },
        DatabaseFault(
            "lists once", violates: "lists its records repeatedly", saying: "60 of 60 records are not listed"
        ) {
            BrokenDatabase(list: { base, type in
                let iterations = Locked(0)
                return RecordSequence.changing(base, type) { records in
                    let isFirst = iterations.withLock { iterations in
                        iterations += 1
                        return iterations == 1
                    }
                    return isFirst ? records : []
                }
            })
        },
        DatabaseFault(
            "lists records without metadata", violates: "lists records with their fields and metadata",
            saying: "the list has another version of Sample/a"
        ) {
            BrokenDatabase(list: { base, type in
                RecordSequence.changing(base, type) { try $0.map { try Record(id: $0.id, fields: $0.fields) } }
            })
        },
        DatabaseFault(
            "lists its log", violates: "lists no record that was deleted and none twice that was saved again",
            saying: "Sample/gone is listed"
        ) {
            let log = Log()
            return BrokenDatabase(
                modify: { base, call in
                    log.records.withLock { $0 += call.saves }
                    return try await call.perform(in: base)
                },
                list: { _, _ in RecordSequence(log.records.withLock { $0 }) })
        },
    ]

    private final class Log: Sendable {
        let records = Locked<[Record]>([])
    }
}
