/// A file beside the records, such as a photo: a property has its name, a database has its bytes.
///
/// ```swift
/// book.cover = try await store.assets.add(file: path, contentType: "image/png")
/// try await store.save(&book)
/// ```
///
/// The name is the SHA-256 of the bytes, so that equal bytes are stored once. A fetch reads no bytes; ``AssetStore`` does.
/// Other coders store an object with the properties.
public struct RecordAsset: Sendable, Hashable {
    /// The SHA-256 of the bytes, as 64 hexadecimal digits in lower case.
    public let hash: String

    /// The number of bytes.
    public let size: Int64

    /// The media type of the bytes, such as `image/png`, if it is known.
    ///
    /// The library does not read it.
    public var contentType: String?

    /// The name of the file that the bytes come from, if it is known.
    ///
    /// The library does not read it.
    public var fileName: String?

    /// Makes the name of bytes that a database has already; ``AssetStore`` makes those of new ones.
    ///
    /// - Parameters:
    ///   - hash: The SHA-256 of the bytes, as 64 hexadecimal digits in lower case.
    ///   - size: The number of bytes.
    ///   - contentType: The media type, or nil.
    ///   - fileName: The name of the file, or nil.
    /// - Throws: ``RecordError`` with the code `invalidAsset` if the hash has another form or the size is negative.
    public init(hash: String, size: Int64, contentType: String? = nil, fileName: String? = nil) throws {
        guard Self.isHash(hash) else {
            throw RecordError(
                .invalidAsset, reason: "the hash \(hash.debugDescription) is not 64 hexadecimal digits in lower case")
        }
        guard size >= 0 else { throw RecordError(.invalidAsset, reason: "its size \(size) is negative") }
        (self.hash, self.size, self.contentType, self.fileName) = (hash, size, contentType, fileName)
    }

    init(checkedHash: String, size: Int64, contentType: String? = nil, fileName: String? = nil) {
        (hash, self.size, self.contentType, self.fileName) = (checkedHash, size, contentType, fileName)
    }

    static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }

    /// The record type of what a database keeps of the bytes.
    static let contentRecordType = Record.ID.reservedTypePrefix + "Asset"

    /// The record that a database keeps of the bytes.
    var contentID: Record.ID { Record.ID(checkedType: Self.contentRecordType, name: hash) }

    /// What the databases' indexes of references have of the asset: the records that use some bytes are those that refer to
    /// the record of the bytes.
    var reference: Record.Reference { Record.Reference(to: contentID, isLink: true) }

    /// The properties as a database without assets stores them, and other coders.
    enum CodingKeys: String, CodingKey, CaseIterable {
        case hash, size, contentType, fileName
    }

    /// Equality of bytes; `==` compares strings by canonical equivalence.
    func isSame(as other: RecordAsset) -> Bool {
        func areSame(_ left: String?, _ right: String?) -> Bool {
            guard let left, let right else { return left == nil && right == nil }
            return left.hasSameBytes(as: right)
        }
        return hash == other.hash && size == other.size && areSame(contentType, other.contentType)
            && areSame(fileName, other.fileName)
    }

    /// A property as the value of a field; nil if it is missing.
    func part(named name: String) -> Record.Value? {
        switch CodingKeys(rawValue: name) {
        case .hash: .string(hash)
        case .size: .int(size)
        case .contentType: contentType.map(Record.Value.string)
        case .fileName: fileName.map(Record.Value.string)
        case nil: nil
        }
    }
}

extension RecordAsset: CustomStringConvertible {
    /// The name of the file, the media type and the size, as far as they are known, and the hash.
    public var description: String {
        ([fileName, contentType].compactMap(\.self) + ["\(size) bytes", hash]).joined(separator: ", ")
    }
}

extension RecordAsset: Codable {
    /// Reads an object with the properties.
    ///
    /// - Throws: `DecodingError`, also for a hash of another form and a negative size.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let (hash, size) = (
            try container.decode(String.self, forKey: .hash), try container.decode(Int64.self, forKey: .size)
        )
        let contentType = try container.decodeIfPresent(String.self, forKey: .contentType)
        let fileName = try container.decodeIfPresent(String.self, forKey: .fileName)
        do {
            try self.init(hash: hash, size: size, contentType: contentType, fileName: fileName)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "\(error)"))
        }
    }

    /// Writes an object with the properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hash, forKey: .hash)
        try container.encode(size, forKey: .size)
        try container.encodeIfPresent(contentType, forKey: .contentType)
        try container.encodeIfPresent(fileName, forKey: .fileName)
    }
}
