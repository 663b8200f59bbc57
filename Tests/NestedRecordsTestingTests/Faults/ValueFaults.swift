import Foundation
import NestedRecords
import TestSupport

extension DatabaseFault {
    static let values =
        distortions.map { kind, description, distort in
            DatabaseFault(description, violates: "keeps \(kind) to the last bit", saying: "came back with") {
                BrokenDatabase.distorting(values: distort)
            }
        } + [
            DatabaseFault(
                "saves no empty record", violates: "keeps a record without fields", saying: "there is no record"
            ) {
                BrokenDatabase(modify: { base, call in
                    let answer = try await call.perform(in: base)
                    let empty = call.saves.filter { $0.fields.isEmpty }.map(\.id)
                    try await ModifyCall(saves: [], deletes: empty, policy: .overwrite).perform(in: base)
                    return answer
                })
            }
        ]

    private typealias Distortion = @Sendable (Record.Value) throws -> Record.Value?

    private static let distortions: [(kind: String, description: String, distort: Distortion)] = [
        ("nulls", "drops nulls", { $0 == .null ? nil : $0 }),
        (
            "Booleans", "saves Booleans as numbers",
            { value in
                guard case .bool(let truth) = value else { return value }
                return .int(truth ? 1 : 0)
            }
        ),
        (
            "integers", "saves integers as floating-point numbers",
            { value in
                guard case .int(let number) = value else { return value }
                return .int(Int64(exactly: Double(number).rounded(.towardZero)) ?? .max)
            }
        ),
        ("floating-point numbers", "drops the sign of zero", { $0 == .double(0) ? .double(0) : $0 }),
        (
            "floating-point numbers", "has no infinity",
            { value in
                guard case .double(let number) = value else { return value }
                return number.isInfinite ? .null : value
            }
        ),
        (
            "texts", "normalizes texts",
            { value in
                guard case .string(let text) = value else { return value }
                return .string(text.precomposedStringWithCanonicalMapping)
            }
        ),
        (
            "texts", "cuts long texts",
            { value in
                guard case .string(let text) = value else { return value }
                return .string(String(text.prefix(65_536)))
            }
        ),
        (
            "dates", "rounds dates to milliseconds",
            { value in
                guard case .date(let date) = value else { return value }
                let interval = (date.timeIntervalSinceReferenceDate * 1_000).rounded() / 1_000
                return .date(Date(timeIntervalSinceReferenceDate: interval))
            }
        ),
        (
            "bytes", "saves bytes as a string",
            { value in
                guard case .bytes(let bytes) = value else { return value }
                return .string(bytes.base64EncodedString())
            }
        ),
        (
            "locations", "rounds locations",
            { value in
                guard case .location(let place) = value else { return value }
                return .location(try Location(latitude: Double(Float(place.latitude)), longitude: place.longitude))
            }
        ),
        (
            "references", "forgets what a reference says beside its target",
            { value in
                guard case .reference(let reference) = value else { return value }
                return .reference(Record.Reference(to: reference.id))
            }
        ),
        (
            "lists", "drops nulls in lists",
            { value in
                guard case .list(let values) = value else { return value }
                return .list(values.filter { $0 != .null })
            }
        ),
        (
            "maps", "takes a map with the name '$ref' for a reference",
            { value in
                guard case .map(let fields) = value, case .string(let text) = fields["$ref"] else { return value }
                return .reference(Record.Reference(to: try Record.ID(text)))
            }
        ),
    ]
}
