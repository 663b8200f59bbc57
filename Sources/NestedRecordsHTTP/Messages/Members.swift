import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Reading the members of a message's map. Unknown members are ignored, so that later versions may add some.

extension Record.Fields {
    func required<Result>(_ name: String, _ read: (Record.Value) throws -> Result?) throws -> Result {
        guard let value = try optional(name, read) else { throw MalformedMessage("the member '\(name)' is missing") }
        return value
    }

    /// The value of a member; nil if it is missing or null.
    func optional<Result>(_ name: String, _ read: (Record.Value) throws -> Result?) throws -> Result? {
        guard let value = self[name], value != .null else { return nil }
        guard let result = try read(value) else { throw MalformedMessage("the member '\(name)' has another kind") }
        return result
    }

    func text(_ name: String) throws -> String { try required(name, \.text) }

    func integer(_ name: String) throws -> Int { try required(name, \.integer) }

    func id(_ name: String) throws -> Record.ID { try required(name) { try $0.text.map { try Record.ID($0) } } }

    /// A list, empty if it is missing.
    func list<Element>(_ name: String, _ read: (Record.Value) throws -> Element?) throws -> [Element] {
        try optional(name, \.list)?.map { value in
            guard let element = try read(value) else {
                throw MalformedMessage("an element of '\(name)' has another kind")
            }
            return element
        } ?? []
    }

    func ids(_ name: String) throws -> [Record.ID] { try list(name) { try $0.id } }
}

extension Record.Value {
    var text: String? { if case .string(let text) = self { text } else { nil } }

    var integer: Int? { if case .int(let integer) = self { Int(exactly: integer) } else { nil } }

    var list: [Record.Value]? { if case .list(let list) = self { list } else { nil } }

    var members: Record.Fields? { if case .map(let members) = self { members } else { nil } }

    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    var date: Date? { if case .date(let date) = self { date } else { nil } }

    var double: Double? {
        switch self {
        case .double(let double): double
        case .int(let integer): Double(integer)
        default: nil
        }
    }

    /// - Throws: `RecordError` with the code `invalidID` for a string that is not an ID.
    var id: Record.ID? { get throws { try text.map { try Record.ID($0) } } }

    init(_ id: Record.ID) { self = .string(id.description) }

    init(_ ids: some Sequence<Record.ID>) { self = .list(ids.map { Record.Value($0) }) }

    init(_ integer: Int) { self = .int(Int64(integer)) }
}

// MARK: Parts of several messages

extension RecordBatch.Version {
    /// Nothing for any version, null for a missing record, or the change tag.
    var parts: [Record.Value] {
        switch self {
        case .any: []
        case .missing: [.null]
        case .changeTag(let tag): [.string(tag)]
        }
    }

    init?(_ parts: ArraySlice<Record.Value>) {
        switch parts.first {
        case nil: self = .any
        case .null?: self = .missing
        case .string(let tag)?: self = .changeTag(tag)
        default: return nil
        }
    }
}

extension RecordBatch.VersionedID {
    /// The ID, and the parts of the version.
    var value: Record.Value { .list([Record.Value(id)] + version.parts) }

    init?(_ value: Record.Value) throws {
        guard let parts = value.list, let id = try parts.first?.id,
            let version = RecordBatch.Version(parts.dropFirst())
        else { return nil }
        self.init(id, version: version)
    }
}

/// The new metadata of saved records: for each `[id, tag, created, modified]`.
enum SavedForm {
    static func value(of saved: [Record.ID: Record.Metadata]) -> Record.Value {
        .list(
            saved.map { id, metadata in
                [
                    Record.Value(id), .string(metadata.changeTag), .date(metadata.creationDate),
                    .date(metadata.modificationDate),
                ]
            })
    }

    static func saved(in value: Record.Value) throws -> [Record.ID: Record.Metadata]? {
        var saved: [Record.ID: Record.Metadata] = [:]
        for entry in value.list ?? [] {
            guard let parts = entry.list, parts.count == 4, let id = try parts[0].id, let tag = parts[1].text,
                let created = parts[2].date, let modified = parts[3].date
            else { return nil }
            saved[id] = Record.Metadata(changeTag: tag, creationDate: created, modificationDate: modified)
        }
        return saved
    }
}
