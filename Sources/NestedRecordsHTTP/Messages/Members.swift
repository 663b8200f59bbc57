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
    /// Nothing for any version, null for a missing record, true for an existing one, or the change tag.
    var parts: [Record.Value] {
        switch self {
        case .any: []
        case .missing: [.null]
        case .exists: [.bool(true)]
        case .changeTag(let tag): [.string(tag)]
        }
    }

    init?(_ parts: ArraySlice<Record.Value>) {
        switch parts.first {
        case nil: self = .any
        case .null?: self = .missing
        case .bool(true)?: self = .exists
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
