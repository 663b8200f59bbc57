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
