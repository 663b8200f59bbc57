import Foundation
import NestedRecords

/// A record as a document.
struct EncodedDocument {
    /// The fields, an object.
    let fields: JSONValue

    /// The paths of the fields that the server sets to its time.
    let timestamps: [String]
}

/// Encodes the fields of a record.
struct DocumentEncoder {
    private let names: DocumentNames
    private var exact = ExactValues()
    private var path: [PathStep] = []
    private var timestamps: [String] = []
    private var hasTime = false

    /// The depth from which on lists and maps are in the binary form: Firestore has 20 levels, and marks take some.
    static let deepest = 16

    /// The transforms of a document, of which Firestore takes 500.
    private static let mostTimestamps = 400

    private init(_ names: DocumentNames) { self.names = names }

    /// - Throws: `RecordError` with the code `invalidKey` for a field whose name Firestore refuses.
    static func document(of record: Record, save: String, _ names: DocumentNames) throws -> EncodedDocument {
        var encoder = DocumentEncoder(names)
        var (fieldNames, values): ([String], [JSONValue]) = ([], [])
        for (name, value) in record.fields {
            let fault = name == Shadow.field ? "is that of the library's own field" : DocumentNames.fieldFault(name)
            if let fault {
                throw RecordError.invalidKey(
                    name, reason: "the name \(fault)", context: RecordContext(record: record.id, field: name))
            }
            guard let json = try encoder.value(value, at: .name(name), Place()) else { continue }
            fieldNames.append(name)
            values.append(json)
        }
        fieldNames.append(Shadow.field)
        values.append(encoder.shadow(of: record, save: save))
        return EncodedDocument(
            fields: .object(names: fieldNames, values),
            timestamps: encoder.hasTime ? [Shadow.timePath] + encoder.timestamps : [])
    }

    private func shadow(of record: Record, save: String) -> JSONValue {
        var seen: Set<Record.ID> = []
        let targets = record.references.filter { seen.insert($0.id).inserted }.map { reference in
            JSONValue.object(["stringValue": reference.id.description.json])
        }
        return .object([
            "mapValue": .object([
                "fields": .object([
                    Shadow.save: .object(["stringValue": .text(save)]),
                    Shadow.exact: exact.values.isEmpty ? nil : .object(["stringValue": exact.text.json]),
                    Shadow.references: targets.isEmpty
                        ? nil : .object(["arrayValue": .object(["values": .list(targets)])]),
                ])
            ])
        ])
    }

    private struct Place {
        /// The number of lists and maps around the value in the document.
        var depth = 0

        /// Whether the value is an element of a list.
        var isElement = false

        /// Whether no path of a transform leads to the value: into a list, or past the level that a mark adds.
        var hasNoPath = false

        /// - Parameter levels: The number of levels that a collection has in the document: 2 with a mark.
        func inner(_ levels: Int, isElement: Bool) -> Place {
            Place(depth: depth + levels, isElement: isElement, hasNoPath: hasNoPath || isElement || levels > 1)
        }
    }

    /// The value; nil if the server sets it.
    private mutating func value(_ value: Record.Value, at step: PathStep, _ place: Place) throws -> JSONValue? {
        path.append(step)
        defer { path.removeLast() }
        switch value {
        case .null: return .object(["nullValue": .null])
        case .bool(let value): return .object(["booleanValue": .bool(value)])
        case .int(let value): return NativeValue.integer(value)
        case .double(let value): return NativeValue.double(value)
        case .string(let value): return .object(["stringValue": .text(value)])
        case .bytes(let value): return bytes(value)
        case .location(let value):
            return .object([
                "geoPointValue": .object([
                    "latitude": JSONValue(.number(value.latitude)), "longitude": JSONValue(.number(value.longitude)),
                ])
            ])
        case .date(let date): return self.date(date)
        case .reference(let reference): return self.reference(reference)
        case .serverTimestamp: return try timestamp(place)
        case .list, .map:
            if place.depth >= Self.deepest { return .marked(.binary, bytes(try binaryData(of: value))) }
            return try collection(value, place)
        case .asset:
            throw RecordDatabaseError(.unsupported, reason: "Firestore keeps no assets")
        }
    }

    private func bytes(_ data: Data) -> JSONValue { .object(["bytesValue": data.base64EncodedString().json]) }

    private mutating func binaryData(of value: Record.Value) throws -> Data {
        if value.contains(where: { inner, _ in inner == .serverTimestamp }) { hasTime = true }
        return try BinaryValue.data(of: value)
    }

    private mutating func date(_ date: Date) -> JSONValue {
        let text = Timestamp.text(of: date)
        let interval = date.timeIntervalSinceReferenceDate
        if Timestamp.date(text)?.timeIntervalSinceReferenceDate.bitPattern != interval.bitPattern {
            exact.add(.date(date), at: path)
        }
        return .object(["timestampValue": .text(text)])
    }

    private mutating func reference(_ reference: Record.Reference) -> JSONValue {
        let target = reference.id.description
        if reference.action != .none || reference.isLink {
            exact.add(
                .role(target: target, isOwning: reference.action == .deleteSelf, isLink: reference.isLink), at: path)
        }
        if names.fault(of: reference.id) != nil { return .marked(.record, .object(["stringValue": .text(target)])) }
        return names.reference(to: reference.id)
    }

    private mutating func timestamp(_ place: Place) throws -> JSONValue? {
        hasTime = true
        if place.hasNoPath { return .marked(.now, .object(["nullValue": .null])) }
        if timestamps.count == Self.mostTimestamps {
            throw RecordDatabaseError(
                .unsupported, reason: "Firestore sets at most \(Self.mostTimestamps) fields of a document to its time")
        }
        exact.add(.now, at: path)
        let names = path.compactMap { if case .name(let name) = $0 { name } else { String?.none } }
        timestamps.append(DocumentNames.fieldPath(names))
        return nil
    }

    private mutating func collection(_ value: Record.Value, _ place: Place) throws -> JSONValue {
        if let digits = value.numberDigits, let number = Double(digits), !number.isNaN {
            exact.add(.digits(digits), at: path)
            return NativeValue.double(number)
        }
        switch value {
        case .list(let elements):
            let isElement = place.isElement
            let place = place.inner(isElement ? 2 : 1, isElement: true)
            var values: [JSONValue] = []
            for (position, element) in elements.enumerated() {
                if let json = try self.value(element, at: .position(position), place) { values.append(json) }
            }
            let list = JSONValue.object(["arrayValue": .object(["values": .list(values)])])
            return isElement ? .marked(.list, list) : list
        case .map(let fields): return try map(fields, value, place)
        default: return .null
        }
    }

    private mutating func map(_ fields: Record.Fields, _ value: Record.Value, _ place: Place) throws -> JSONValue {
        if let foreign = ForeignValue.candidate(fields),
            DocumentDecoder(names).value(foreign)?.isIdentical(to: value) == true
        {
            return foreign
        }
        let isMarked = Mark(of: fields) != nil
        let place = place.inner(isMarked ? 2 : 1, isElement: false)
        var (memberNames, values): ([String], [JSONValue]) = ([], [])
        for (name, member) in fields where !RestOfMap.takes(name) {
            guard let json = try self.value(member, at: .name(name), place) else { continue }
            memberNames.append(name)
            values.append(json)
        }
        let rest = fields.filter { RestOfMap.takes($0.name) }
        if !rest.isEmpty {
            memberNames.append(RestOfMap.member)
            values.append(bytes(try binaryData(of: .map(Record.Fields(rest)))))
        }
        let map = JSONValue.object(["mapValue": .object(["fields": .object(names: memberNames, values)])])
        return isMarked ? .marked(.map, map) : map
    }
}
