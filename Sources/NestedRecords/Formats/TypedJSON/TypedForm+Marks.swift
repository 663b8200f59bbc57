#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TypedForm {
    static func date(_ value: JSONValue) throws(JSONFault) -> Date {
        let found = try self.value(value)
        if case .date(let date) = found { return date }
        if case .string(let text) = found, let date = ISO8601.date(from: text) { return date }
        throw value.unexpected("a date, such as {\"$date\": \"2001-02-03T04:05:06Z\"}")
    }

    /// The kinds by their marks.
    private static let kinds = Dictionary(
        uniqueKeysWithValues: Record.Value.Kind.allCases.compactMap { kind in kind.mark.map { ($0, kind) } })

    static func marked(_ object: JSONObject, _ key: String, at offset: Int) throws(JSONFault) -> Record.Value {
        guard let kind = kinds[key] else {
            let reason = "found the mark '\(key)', which no value has, expected {\"$map\": {…}} around such keys"
            throw JSONFault(reason: reason, offset: offset)
        }
        var members = TypedMembers(object, at: offset)
        let content = try members.required(key)
        let value: Record.Value
        switch kind {
        case .reference: value = .reference(try reference(content, &members))
        case .date: value = .date(try markedDate(content))
        case .bytes: value = .bytes(try bytes(content))
        case .location: value = .location(try location(content))
        case .asset: value = .asset(try asset(content))
        case .double: value = .double(try double(content))
        // Elements are read without recursion, like those of every map. Values of the other kinds are not marked.
        case .map, .null, .bool, .int, .string, .list: throw content.unexpected("no \(kind.word)")
        case .serverTimestamp:
            guard case .bool(true) = content.content else { throw content.unexpected("true") }
            value = .serverTimestamp
        }
        try members.expectNoOther()
        return value
    }

    private static func reference(
        _ content: JSONValue, _ members: inout TypedMembers
    ) throws(JSONFault) -> Record.Reference {
        var reference = Record.Reference(to: try Record.ID(typed: content))
        if let link = members.optional(TypedKey.link) {
            guard case .bool(let isLink) = link.content else { throw link.unexpected("true or false") }
            reference.isLink = isLink
        }
        if let action = members.optional(TypedKey.action) {
            let expected = "\"none\" or \"deleteSelf\""
            let text = try action.text(expected: expected)
            guard let known = Record.Reference.Action(rawValue: text) else {
                throw JSONFault(reason: "found the action '\(text)', expected \(expected)", offset: action.offset)
            }
            reference.action = known
        }
        return reference
    }

    private static func markedDate(_ content: JSONValue) throws(JSONFault) -> Date {
        guard case .text(let text) = content.content else {
            return Date(timeIntervalSinceReferenceDate: try double(content))
        }
        if let date = ISO8601.date(from: text) { return date }
        if let interval = nonFinite(text) { return Date(timeIntervalSinceReferenceDate: interval) }
        throw JSONFault(reason: "found '\(text)', expected a date with time and zone", offset: content.offset)
    }

    private static func bytes(_ content: JSONValue) throws(JSONFault) -> Data {
        if let bytes = Data(base64Encoded: try content.text(expected: "a string in base 64")) { return bytes }
        throw JSONFault(reason: "found a string that is not in base 64, expected one that is", offset: content.offset)
    }

    private static func location(_ content: JSONValue) throws(JSONFault) -> Location {
        let text = try content.text(expected: "a location, such as \"57.05;-5.13\"")
        do {
            return try Location(text)
        } catch {
            throw JSONFault(error, offset: content.offset)
        }
    }

    private static func asset(_ content: JSONValue) throws(JSONFault) -> RecordAsset {
        guard case .object(let object) = content.content else {
            throw content.unexpected("an object with a hash and a size")
        }
        var members = TypedMembers(object, at: content.offset)
        let hash = try members.required(RecordAsset.CodingKeys.hash.rawValue).text(expected: "a hash")
        let size = try members.required(RecordAsset.CodingKeys.size.rawValue)
        guard case .integer(let count) = size.content else { throw size.unexpected("a number of bytes") }
        let contentType = members.optional(RecordAsset.CodingKeys.contentType.rawValue)
        let fileName = members.optional(RecordAsset.CodingKeys.fileName.rawValue)
        try members.expectNoOther()
        do {
            return try RecordAsset(
                hash: hash, size: count, contentType: contentType?.text(expected: "a media type"),
                fileName: fileName?.text(expected: "a name of a file"))
        } catch let fault as JSONFault {
            throw fault
        } catch {
            throw JSONFault(error, offset: content.offset)
        }
    }

    private static func double(_ content: JSONValue) throws(JSONFault) -> Double {
        switch content.content {
        case .number(let value): return value
        // Rounded to the nearest Double, as every number is: decoders do not distinguish digits from an exponent.
        case .integer(let value): return Double(value)
        case .text(let text):
            if let value = nonFinite(text) { return value }
            throw JSONFault(reason: "found '\(text)', expected nan, inf or -inf", offset: content.offset)
        case .null, .bool, .array, .object: throw content.unexpected("a number, or nan, inf or -inf in quotes")
        }
    }

    /// A number without a JSON form: `nan`, `inf` or `-inf`, or the bits of another NaN, as `0x7ff8000000000001`.
    private static func nonFinite(_ text: String) -> Double? {
        let words: [Double] = [.nan, .infinity, -.infinity]
        if let value = words.first(where: { $0.description == text }) { return value }
        guard text.utf8.count == 18, text.utf8.starts(with: "0x".utf8) else { return nil }
        let value = UInt64(text.dropFirst(2), radix: 16).map { Double(bitPattern: $0) }
        return value.flatMap { $0.isNaN ? $0 : nil }
    }
}
