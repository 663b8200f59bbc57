@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The paths of requests whose bodies are the bytes of assets.
enum AssetPath: Equatable {
    /// `GET` or `HEAD` `v1/assets/HASH`: a content, or the bytes of the field `range`.
    case content(hash: String)

    /// `PUT` `v1/uploads/UPLOAD/OFFSET`: bytes of an upload, after the first ones.
    case upload(String, offset: Int64)

    /// `GET` `v1/uploads/UPLOAD/OFFSET`: a chunk of an upload.
    case chunk(String, offset: Int64)

    var method: String {
        switch self {
        case .content, .chunk: "GET"
        case .upload: "PUT"
        }
    }

    var path: String {
        switch self {
        case .content(let hash): "\(Call.version)/assets/\(hash)"
        case .upload(let upload, let offset), .chunk(let upload, let offset):
            "\(Call.version)/uploads/\(upload)/\(offset)"
        }
    }

    /// Reads the method and the last parts of a path; nil for another path.
    init?(method: String, _ parts: [String]) {
        if let version = parts.dropLast(2).last, let hash = parts.last, version == Call.version,
            parts[parts.count - 2] == "assets", method == "GET" || method == "HEAD"
        {
            self = .content(hash: hash)
        } else if let version = parts.dropLast(3).last, let offset = parts.last.flatMap({ Int64($0) }),
            version == Call.version, parts[parts.count - 3] == "uploads", offset >= 0
        {
            switch method {
            case "PUT": self = .upload(parts[parts.count - 2], offset: offset)
            case "GET": self = .chunk(parts[parts.count - 2], offset: offset)
            default: return nil
            }
        } else {
            return nil
        }
    }
}

/// The digest and the date of a content in a message.
enum AssetForm {
    static func value(of content: AssetContent) -> Record.Value {
        [
            "hash": .string(content.hash), "size": .int(content.size), "sums": .bytes(content.digest.sums),
            "date": .date(content.date),
        ]
    }

    static func message(of digest: AssetDigest, _ upload: String) -> Message {
        Message([
            "upload": .string(upload), "hash": .string(digest.hash), "size": .int(digest.size),
            "sums": .bytes(digest.sums),
        ])
    }

    static func content(_ value: Record.Value) throws -> AssetContent? {
        guard let map = value.members else { return nil }
        return AssetContent(digest: try digest(map), date: try map.required("date", \.date), upload: "")
    }

    static func digest(_ map: Record.Fields) throws -> AssetDigest {
        let sums = try map.required("sums") { value in if case .bytes(let bytes) = value { bytes } else { nil } }
        guard let digest = AssetDigest(hash: try map.text("hash"), size: Int64(try map.integer("size")), sums: sums)
        else { throw MalformedMessage("the digest of an asset is not valid") }
        return digest
    }
}

/// A range of bytes of the header field `range` (RFC 9110, section 14.1.2): one range, as the library asks for and browsers do.
enum ByteRange {
    /// The range; nil for a field that is missing or of another form, which a server ignores.
    ///
    /// - Throws: ``Unsatisfiable`` for a range that begins after the last byte.
    static func range(_ field: String?, ofSize size: Int64) throws -> Range<Int64>? {
        guard let field, let (unit, text) = split(field, "="), unit == "bytes", let (first, last) = split(text, "-")
        else { return nil }
        if first.isEmpty {
            guard let count = number(last) else { return nil }
            guard count > 0, size > 0 else { throw Unsatisfiable() }
            return max(0, size - count)..<size
        }
        guard let start = number(first), last.isEmpty || number(last).map({ $0 >= start }) == true else { return nil }
        guard start < size else { throw Unsatisfiable() }
        return start..<min(size - 1, number(last) ?? size - 1) + 1
    }

    struct Unsatisfiable: Error {}

    private static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int64(text) : nil
    }

    private static func split(_ text: String, _ separator: Unicode.Scalar) -> (String, String)? {
        let parts = text.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
}
