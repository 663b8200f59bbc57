import Foundation
import NestedRecords

/// Decodes the fields of a document.
struct DocumentDecoder {
    private let names: DocumentNames
    private var exact: [[PathStep]: ExactValue] = [:]

    /// The native time of the save, and the date that is read in its place.
    private var saveTime: String?
    private var now: Date?

    init(_ names: DocumentNames) { self.names = names }

    private init(_ names: DocumentNames, shadow: JSONValue?, modified: Date) {
        self.names = names
        let fields = shadow?["mapValue"]?["fields"]
        exact = ExactValues.table(fields?[Shadow.exact]?["stringValue"]?.text)
        guard let time = fields?[Shadow.time]?["timestampValue"]?.text, let date = Timestamp.date(time) else { return }
        saveTime = time
        // Any later change is by a program that has kept the shadow.
        now = abs(modified.timeIntervalSince(date)) <= Shadow.longestCommit ? modified : date
    }

    /// Decodes a document.
    ///
    /// - Parameter json: The document, with its name and its times.
    /// - Throws: `RecordError` with the code `invalidResponse` for a document that is not one, or whose name no record has.
    static func record(_ json: JSONValue, _ names: DocumentNames) throws -> StoredDocument {
        guard let path = json["name"]?.text, let tag = json["updateTime"]?.text, let modified = Timestamp.date(tag),
            let created = json["createTime"]?.text.flatMap(Timestamp.date)
        else {
            throw RecordError(.invalidResponse, reason: "a document has no name or no times")
        }
        guard let id = names.id(ofPath: path) else {
            throw RecordError(
                .invalidResponse, reason: "no record has the name of the document \(path.debugDescription)")
        }
        let fields = json["fields"]?.object
        let shadow = fields?[Shadow.field]
        let decoder = DocumentDecoder(names, shadow: shadow, modified: modified)
        var values: [(String, Record.Value)] = []
        for (name, value) in zip(fields?.keys ?? [], fields?.values ?? []) where name != Shadow.field {
            values.append((name, decoder.value(value, at: [.name(name)], isElement: false)))
        }
        let metadata = Record.Metadata(changeTag: tag, creationDate: created, modificationDate: modified)
        return StoredDocument(
            record: try Record(id: id, fields: Record.Fields(values), metadata: metadata),
            save: shadow?["mapValue"]?["fields"]?[Shadow.save]?["stringValue"]?.text)
    }

    /// The value of a record for one of Firestore, without a place in a document.
    func value(_ json: JSONValue) -> Record.Value? {
        json.onlyMember == nil ? nil : value(json, at: [], isElement: false)
    }

    private func value(_ json: JSONValue, at path: [PathStep], isElement: Bool) -> Record.Value {
        guard let member = json.onlyMember,
            let value = native(member.name, member.value, at: path, isElement: isElement)
        else { return ForeignValue.map(of: json) }
        return value
    }

    /// The value of a record; nil for one of Firestore that records lack.
    private func native(_ kind: String, _ json: JSONValue, at path: [PathStep], isElement: Bool) -> Record.Value? {
        switch kind {
        case "nullValue": return .null
        case "booleanValue": return json.bool.map { .bool($0) }
        case "integerValue": return NativeValue.integer(json).map { .int($0) }
        case "doubleValue": return NativeValue.double(json).map { double($0, at: path) }
        case "stringValue": return json.text.map { .string($0) }
        case "bytesValue": return json.text.flatMap { Data(base64Encoded: $0) }.map { .bytes($0) }
        case "timestampValue": return json.text.flatMap { date($0, at: path) }
        case "referenceValue": return json.text.flatMap(names.id(ofPath:)).map { reference(to: $0, at: path) }
        case "geoPointValue":
            // Zeros are left out of JSON.
            let (latitude, longitude) = (json["latitude"]?.double ?? 0, json["longitude"]?.double ?? 0)
            return (try? Location(latitude: latitude, longitude: longitude)).map { .location($0) }
        case "arrayValue": return isElement ? nil : .list(elements(json, at: path))
        case "mapValue": return map(json["fields"]?.object, at: path, isElement: isElement)
        default: return nil
        }
    }

    private func double(_ value: Double, at path: [PathStep]) -> Record.Value {
        if case .digits(let digits) = exact[path], Double(digits)?.bitPattern == value.bitPattern {
            return .number(digits: digits)
        }
        return .double(value)
    }

    private func date(_ text: String, at path: [PathStep]) -> Record.Value? {
        guard let native = Timestamp.date(text) else { return nil }
        switch exact[path] {
        case .date(let date) where Timestamp.date(Timestamp.text(of: date)) == native: return .date(date)
        case .now where text == saveTime: return .date(now ?? native)
        default: return .date(native)
        }
    }

    private func reference(to id: Record.ID, at path: [PathStep]) -> Record.Value {
        var reference = Record.Reference(to: id)
        if case .role(let target, let isOwning, let isLink) = exact[path],
            target.utf8.elementsEqual(id.description.utf8)
        {
            reference.action = isOwning ? .deleteSelf : .none
            reference.isLink = isLink
        }
        return .reference(reference)
    }

    private func elements(_ array: JSONValue, at path: [PathStep]) -> [Record.Value] {
        (array["values"]?.elements ?? []).enumerated().map { position, element in
            value(element, at: path + [.position(position)], isElement: true)
        }
    }

    private func map(_ object: JSONObject?, at path: [PathStep], isElement: Bool) -> Record.Value? {
        guard let object else { return .map([:]) }
        if let mark = object.keys.count == 1 ? Mark(rawValue: object.keys[0]) : nil {
            return marked(mark, object.values[0], at: path, isElement: isElement)
        }
        return plain(object, at: path)
    }

    /// Nil for a map that only another program writes, with a name that is reserved.
    private func plain(_ object: JSONObject, at path: [PathStep]) -> Record.Value? {
        var members: [(String, Record.Value)] = []
        for (name, value) in zip(object.keys, object.values) {
            if name == RestOfMap.member {
                guard case .map(let rest)? = value["bytesValue"].flatMap(binary),
                    !rest.isEmpty, rest.allSatisfy({ RestOfMap.takes($0.name) })
                else { return nil }
                members += rest.map { ($0.name, $0.value) }
            } else if DocumentNames.fieldFault(name) != nil {
                return nil
            } else {
                members.append((name, self.value(value, at: path + [.name(name)], isElement: false)))
            }
        }
        return .map(Record.Fields(members))
    }

    /// The value of bytes in the binary form; nil for other bytes.
    private func binary(_ json: JSONValue) -> Record.Value? {
        let data = json.text.flatMap { Data(base64Encoded: $0) }
        return data.flatMap { BinaryValue.value(in: $0) }?.mapLeaves { leaf in
            if case .serverTimestamp = leaf { now.map { .date($0) } ?? leaf } else { leaf }
        }
    }

    /// The value that a map with a mark represents; nil for one that the encoder did not write.
    private func marked(_ mark: Mark, _ json: JSONValue, at path: [PathStep], isElement: Bool) -> Record.Value? {
        switch mark {
        case .list: return isElement ? json["arrayValue"].map { .list(elements($0, at: path)) } : nil
        case .now: return json["nullValue"] == nil ? nil : now.map { .date($0) }
        case .record:
            let id = json["stringValue"]?.text.flatMap { try? Record.ID($0) }
            return id.map { reference(to: $0, at: path) }
        case .binary: return json["bytesValue"].flatMap(binary)
        case .map:
            guard let inner = json["mapValue"]?["fields"]?.object, inner.keys.count == 1,
                Mark(rawValue: inner.keys[0]) != nil
            else { return nil }
            return plain(inner, at: path)
        case .reference, .vector, .firestore: return nil
        }
    }
}

/// A record that was read, and the mark of its save.
struct StoredDocument {
    let record: Record
    let save: String?
}
