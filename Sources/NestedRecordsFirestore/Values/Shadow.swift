import Foundation
import NestedRecords

/// The field of a document with what its other fields cannot hold.
enum Shadow {
    static let field = "$nr"

    /// The mark of the save, which is different for each batch.
    static let save = "save"

    /// The values that the native ones do not hold exactly, as JSON.
    static let exact = "exact"

    /// The records that the record refers to.
    static let references = "refs"

    /// The server's time of the save, if a field is set to it.
    static let time = "time"

    static let savePath = DocumentNames.fieldPath([field, save])
    static let referencesPath = DocumentNames.fieldPath([field, references])
    static let timePath = DocumentNames.fieldPath([field, time])

    /// The time for which a commit may take: a later change is by another program, which keeps the shadow.
    static let longestCommit = 60.0
}

/// What a native value does not hold.
///
/// It counts only as long as the native value is the one that was saved with it.
enum ExactValue: Hashable {
    case date(Date)

    /// The date of the save.
    case now

    /// The digits of a number.
    case digits(String)

    /// The role of a reference to a record.
    case role(target: String, isOwning: Bool, isLink: Bool)

    var json: JSONValue {
        switch self {
        case .date(let date): .object(["date": NativeValue.double(date.timeIntervalSinceReferenceDate)])
        case .now: .object(["now": .bool(true)])
        case .digits(let digits): .object(["digits": .text(digits)])
        case .role(let target, let isOwning, let isLink):
            .object([
                "to": .text(target), "owner": isOwning ? .bool(true) : nil, "link": isLink ? .bool(true) : nil,
            ])
        }
    }

    init?(_ json: JSONValue) {
        if let interval = json["date"]?["doubleValue"].flatMap(NativeValue.double) {
            self = .date(Date(timeIntervalSinceReferenceDate: interval))
        } else if json["now"] != nil {
            self = .now
        } else if let digits = json["digits"]?.text {
            self = .digits(digits)
        } else if let target = json["to"]?.text {
            self = .role(target: target, isOwning: json["owner"] != nil, isLink: json["link"] != nil)
        } else {
            return nil
        }
    }
}

/// A part of the path to a value: the name of a field, or a position in a list.
enum PathStep: Hashable {
    case name(String)
    case position(Int)

    var json: JSONValue {
        switch self {
        case .name(let name): .text(name)
        case .position(let position): .integer(position)
        }
    }

    init?(_ json: JSONValue) {
        switch json.content {
        case .text(let name): self = .name(name)
        case .integer(let position): self = .position(Int(position))
        default: return nil
        }
    }
}

/// The exact values of a document by their paths.
struct ExactValues {
    private(set) var values: [(path: [PathStep], value: ExactValue)] = []

    init() {}

    mutating func add(_ value: ExactValue, at path: [PathStep]) { values.append((path, value)) }

    var text: String {
        let entries = values.map { JSONValue.list($0.path.map(\.json) + [$0.value.json]) }
        return String(decoding: JSONValue.list(entries).bytes, as: UTF8.self)
    }

    /// Reads the text of the shadow; other programs may have changed it, so what cannot be read is left out.
    static func table(_ text: String?) -> [[PathStep]: ExactValue] {
        guard let text, let entries = (try? JSONValue(reading: Array(text.utf8)))?.elements else { return [:] }
        return entries.reduce(into: [:]) { table, entry in
            guard let parts = entry.elements, let value = parts.last.flatMap(ExactValue.init) else { return }
            table[parts.dropLast().compactMap { PathStep($0) }] = value
        }
    }
}
