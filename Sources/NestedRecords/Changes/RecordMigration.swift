/// A description of how to migrate records that earlier versions of their types have stored.
///
/// ```swift
/// var migration = RecordMigration()
/// migration.renameType("Student", to: "Pupil")
/// migration.renameField("title", to: "name", in: "Pupil")
/// migration.setDefault(true, for: "isActive", in: "Pupil")
/// let report = try await database.migrate(migration)
/// ```
package struct RecordMigration: Sendable, Hashable {
    package private(set) var types: [String: String] = [:]
    var fields: [String: FieldRules] = [:]

    struct FieldRules: Sendable, Hashable {
        var formerNames: [String: [String]] = [:]
        var defaults: [String: Record.Value] = [:]
        var version: Int64?

        /// The separator in the names of flattened values; nil if these are maps.
        var separator: String?
    }

    package init() {}

    /// Changes the type of records.
    ///
    /// References to these records change with them. The records get a new creation date.
    package mutating func renameType(_ former: String, to type: String) {
        types[former] = former == type ? nil : type
    }

    package mutating func renameField(_ former: String, to name: String, in type: String) {
        fields[type, default: FieldRules()].formerNames[name, default: []].append(former)
    }

    package mutating func setDefault(_ value: Record.Value, for name: String, in type: String) {
        fields[type, default: FieldRules()].defaults[name] = value
    }

    package var isEmpty: Bool { types.isEmpty && fields.isEmpty }
}

extension RecordMigration {
    package func newType(of type: String) -> String? {
        guard var new = types[type] else { return nil }
        var seen: Set<String> = [type]
        while seen.insert(new).inserted, let next = types[new] { new = next }
        return new == type ? nil : new
    }

    func newID(of id: Record.ID) -> Record.ID? {
        newType(of: id.type).map { Record.ID(checkedType: $0, name: id.name) }
    }

    package func check() throws {
        for (type, rules) in fields {
            for name in Set(rules.formerNames.keys).union(rules.defaults.keys) where Record.isReserved(name) {
                throw RecordError.invalidKey(
                    name, reason: "no field of '\(type)' can have this name", context: nil)
            }
            for (name, formerNames) in rules.formerNames {
                for former in formerNames where former != name && rules.formerNames[former] != nil {
                    throw RecordError.invalidKey(
                        former, reason: "fields of '\(type)' cannot be renamed to and from this name in one migration",
                        context: nil)
                }
            }
        }
        for (former, type) in types {
            if let reason = Record.ID.validationError(forType: type) {
                throw RecordError.invalidID(type: type, name: "", reason: reason, context: nil)
            }
            var seen: Set<String> = [former]
            var next: String? = type
            while let type = next {
                guard seen.insert(type).inserted else {
                    let reason = "record types are renamed in a cycle: \(seen.sorted().joined(separator: ", "))"
                    throw RecordError.invalidID(type: type, name: "", reason: reason, context: nil)
                }
                next = types[type]
            }
        }
    }

    /// The record with new references and fields; nil if it is up to date.
    ///
    /// - Throws: `RecordError.Code.newerVersion`.
    func migrated(_ record: Record) throws -> Record? {
        let fields = try fieldsMigrated(record)
        let result = withNewReferences(fields) ?? fields
        return result.fields.changes(from: record.fields).isEmpty ? nil : result
    }

    func withNewReferences(_ record: Record) -> Record? {
        guard record.references.contains(where: { newID(of: $0.id) != nil }) else { return nil }
        return record.replacingReferences { newID(of: $0) }
    }

    /// The migrated record, with its ID and references unchanged.
    ///
    /// - Throws: `RecordError.Code.newerVersion`.
    package func fieldsMigrated(_ record: Record) throws -> Record {
        guard let rules = fields[newType(of: record.id.type) ?? record.id.type] else { return record }
        var record = record
        if let version = rules.version {
            if case .int(let found)? = record[Record.versionField], found > version {
                throw RecordError.newerVersion(
                    of: record.id, found: found, known: version, type: record.id.type,
                    context: RecordContext(record: record.id))
            }
            record[Record.versionField] = .int(version)
        }
        func hasParts(of name: String) -> Bool {
            rules.separator.map { separator in
                record.fields.contains { $0.name.utf8.starts(with: (name + separator).utf8) }
            } ?? false
        }
        func isThere(_ name: String) -> Bool { record[name] != nil || hasParts(of: name) }
        for (name, former) in rules.formerNames.sorted(by: { $0.key < $1.key }) where !isThere(name) {
            if let old = former.first(where: { record[$0] != nil }) { record.renameField(old, to: name) }
        }
        for (name, value) in rules.defaults.sorted(by: { $0.key < $1.key }) where !isThere(name) {
            // Parts of a flattened value under a former name cannot be distinguished from other fields, and stay
            // unchanged.
            if rules.formerNames[name]?.contains(where: hasParts) ?? false { continue }
            record[name] = value
        }
        return record
    }
}

extension Record {
    fileprivate mutating func renameField(_ old: String, to new: String) {
        fields = Fields(names: fields.names.map { $0 == old ? new : $0 }, values: fields.values)
    }
}
