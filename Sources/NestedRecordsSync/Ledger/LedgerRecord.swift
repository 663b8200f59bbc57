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

extension Record.Value {
    /// The fields of a record in their binary form.
    static func contents(_ fields: Record.Fields, of id: Record.ID) throws -> Record.Value {
        var writer = RecordWriter()
        return .bytes(Data(try writer.bytes(of: Record(id: id, fields: fields))))
    }
}
