@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The values of fields of the ledger's records. A field of another kind is damage: the ledger is never read in part.
extension Record {
    func string(_ name: String) throws -> String? {
        guard let value = self[name] else { return nil }
        guard case .string(let text) = value else { throw damaged(name) }
        return text
    }

    func requiredString(_ name: String) throws -> String {
        guard let text = try string(name) else { throw damaged(name) }
        return text
    }

    /// A number that results from counting, so that it may be counted up.
    func number(_ name: String) throws -> Int64 {
        guard case .int(let number)? = self[name], 0..<(1 << 30) ~= number else { throw damaged(name) }
        return number
    }

    func date(_ name: String) throws -> Date {
        guard case .date(let date)? = self[name] else { throw damaged(name) }
        return date
    }

    func flag(_ name: String) throws -> Bool {
        guard let value = self[name] else { return false }
        guard case .bool(let flag) = value else { throw damaged(name) }
        return flag
    }

    func strings(_ name: String) throws -> [String] {
        guard case .list(let values)? = self[name] else { throw damaged(name) }
        return try values.map { value in
            guard case .string(let text) = value else { throw damaged(name) }
            return text
        }
    }

    /// The fields of another record, which are stored in their binary form: references in them do not count as such.
    func contents(_ name: String) throws -> Record.Fields? {
        guard let value = self[name] else { return nil }
        guard case .bytes(let bytes) = value else { throw damaged(name) }
        var reader = RecordReader()
        do {
            return try reader.record(from: bytes).fields
        } catch {
            throw damaged(name, error)
        }
    }

    func damaged(_ field: String, _ error: (any Error)? = nil) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt, reason: "the field '\(field)' of the synchronization's record cannot be read", recordID: id,
            underlyingError: error)
    }
}

extension Record {
    private static let assetsField = "assets"

    /// Stores the fields of another record in their binary form, and names the assets in them: a resolution may need their
    /// contents, so no collection may take them.
    mutating func setContents(_ name: String, to fields: Fields?, of id: ID) throws {
        guard let fields else { return }
        var writer = RecordWriter()
        let record = try Record(id: id, fields: fields)
        self[name] = .bytes(Data(try writer.bytes(of: record)))
        for asset in record.assets { addName(of: asset) }
    }

    private mutating func addName(of asset: RecordAsset) {
        var names: [Value] = if case .list(let known)? = self[Self.assetsField] { known } else { [] }
        if !names.contains(.asset(asset)) { names.append(.asset(asset)) }
        self[Self.assetsField] = .list(names)
    }

    /// No longer names an asset whose content neither side has.
    mutating func removeName(of asset: RecordAsset) {
        guard case .list(let names)? = self[Self.assetsField] else { return }
        let rest = names.filter { $0 != .asset(asset) }
        self[Self.assetsField] = rest.isEmpty ? nil : .list(rest)
    }
}
