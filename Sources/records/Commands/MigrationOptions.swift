import Foundation
import NestedRecords

extension ParsedArguments {
    /// The migration that the options describe, and the types and fields that they name.
    func migration() throws -> (RecordMigration, names: [MigrationName]) {
        var migration = RecordMigration()
        var names: [MigrationName] = []
        for text in try texts("type") {
            guard let (former, type) = Self.parts(of: text) else {
                throw UsageError("option '--type' must have the form OLD=NEW, not '\(text)'")
            }
            if let other = migration.types[former], other != type {
                throw UsageError("option '--type' gives '\(former)' two types, '\(other)' and '\(type)'")
            }
            migration.renameType(former, to: type)
            names.append(MigrationName(option: "type", type: former))
        }
        for text in try texts("field") {
            guard let (field, name) = Self.parts(of: text), let (type, former) = Self.field(field) else {
                throw UsageError("option '--field' is TYPE.OLD=NEW, not '\(text)'")
            }
            migration.renameField(former, to: name, in: migration.newType(of: type) ?? type)
            names.append(MigrationName(option: "field", type: type, renamed: (former, name)))
        }
        var defaults: [String: String] = [:]
        for text in try texts("default") {
            guard let (field, value) = Self.parts(of: text), let (type, name) = Self.field(field) else {
                throw UsageError("option '--default' is TYPE.FIELD=VALUE, not '\(text)'")
            }
            guard let value = try? JSONDecoder().decode(Record.Value.self, from: Data(value.utf8)) else {
                throw UsageError(
                    "option '--default' has no JSON value in '\(text)': a string is written as '\"\(value)\"'")
            }
            let newType = migration.newType(of: type) ?? type
            if let other = defaults.updateValue(text, forKey: "\(newType)/\(name)") {
                throw UsageError("option '--default' gives one field two values: '\(other)' and '\(text)'")
            }
            migration.setDefault(value, for: name, in: newType)
            names.append(MigrationName(option: "default", type: type))
        }
        if migration.isEmpty { throw UsageError("nothing to change: use '--type', '--field' or '--default'") }
        do {
            try migration.check()
        } catch let error as RecordError where error.code == .invalidKey {
            throw UsageError("'\(error.key ?? "")': \(error.reason ?? "\(error)")")
        } catch let error as RecordError {
            throw UsageError("'\(error.recordType ?? "")' is not a record type here: \(error.reason ?? "\(error)")")
        }
        return (migration, names)
    }

    /// The parts before and after the first equals sign; nil if either is missing.
    private static func parts(of text: String) -> (String, String)? {
        parts(of: text, around: text.unicodeScalars.firstIndex(of: "="))
    }

    /// The type and the name of a field: `Person.title`, or `Person/title`.
    static func field(_ text: String) -> (type: String, name: String)? {
        let scalars = text.unicodeScalars
        return parts(of: text, around: scalars.firstIndex(of: "/") ?? scalars.lastIndex(of: "."))
    }

    /// The parts before and after a sign; nil if either is missing.
    private static func parts(of text: String, around sign: String.Index?) -> (String, String)? {
        guard let sign else { return nil }
        let scalars = text.unicodeScalars
        let (left, right) = (String(scalars[..<sign]), String(scalars[scalars.index(after: sign)...]))
        return left.isEmpty || right.isEmpty ? nil : (left, right)
    }
}
