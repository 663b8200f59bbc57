/// The record types that a program reads, and their fields as far as they are known.
package struct ReadTypes: Sendable {
    package typealias FieldTest = @Sendable (_ field: String) -> Bool

    /// Nil where a type reads every field, or its fields are not known.
    private var tests: [String: [FieldTest?]] = [:]
    private var required: Set<String> = []
    private var currentTypes: [String: String] = [:]

    /// Whether a type that states the record type of each value may read any record.
    var readsAnyType = false

    package init() {}

    /// - Parameters:
    ///   - isRequired: Whether the type should have records.
    ///   - reads: Whether a field is read; nil for every field.
    package mutating func add(_ recordType: String, isRequired: Bool, reads: FieldTest?) {
        tests[recordType, default: []].append(reads)
        if isRequired { required.insert(recordType) }
    }

    mutating func add(former: String, of recordType: String) { currentTypes[former] = recordType }

    fileprivate func reads(_ field: String, of recordType: String) -> Bool {
        guard !Record.isReserved(field), let tests = tests[recordType] else { return true }
        return tests.contains { $0?(field) ?? true }
    }

    fileprivate func report(_ counts: [String: Int], _ unreadFields: [String: [String: Int]]?) -> TypeReport {
        let others = counts.filter { tests[$0.key] == nil }
        return TypeReport(
            unreadTypes: readsAnyType ? [:] : others.filter { currentTypes[$0.key] == nil },
            formerTypes: others.filter { currentTypes[$0.key] != nil },
            typesWithoutRecords: required.filter { counts[$0] == nil }.sorted(), unreadFields: unreadFields,
            currentTypes: currentTypes, readsAnyType: readsAnyType)
    }
}

extension RecordDatabase {
    package func typeReport(of types: ReadTypes, includingFields: Bool) async throws -> TypeReport {
        if !includingFields, let typeCounter {
            let counts = try await typeCounter.recordCounts()
            return types.report(counts.filter { $0.value > 0 && !Record.ID.isReserved(type: $0.key) }, nil)
        }
        var counts: [String: Int] = [:]
        var answers: [String: [String: Bool]] = [:]
        var unread: [String: [String: Int]] = [:]
        try await forEachRecord { record in
            let type = record.id.type
            counts[type, default: 0] += 1
            if !includingFields { return }
            for name in record.fields.names {
                let isRead = answers[type]?[name] ?? types.reads(name, of: type)
                answers[type, default: [:]][name] = isRead
                if !isRead { unread[type, default: [:]][name, default: 0] += 1 }
            }
        }
        return types.report(counts, includingFields ? unread : nil)
    }
}
