import Foundation
@_spi(Engines) import NestedRecords

/// A query whose filter bounds the field that it orders by, so that Firestore returns the records in its order.
///
/// Only strings and numbers: Firestore's order of them is that of the library, apart from long strings, large numbers and
/// values that are equal. A date of the save is read as another than Firestore has.
struct OrderedRange {
    let narrowing: Narrowing
    let field: FieldPath
    let isDescending: Bool

    /// The path of the field in a request.
    let path: String

    /// The filters of the page: those of the narrowing, and the value after which the page begins.
    let filters: [JSONValue]

    /// Nil for other queries, and without a limit, since then all records are read.
    init?(_ query: RecordQuery, _ names: DocumentNames) {
        guard query.order.count == 1, let order = query.order.first, order.collation == nil, let limit = query.limit,
            limit > 0,
            let path = names.path(of: order.path),
            let narrowing = Narrowing(query.filter, orderedBy: order.path, names), narrowing.isOrderedRange
        else { return nil }
        (self.narrowing, self.path) = (narrowing, path)
        (field, isDescending) = (order.path, order.isDescending)
        let key = (try? query.checkedStart())?.keys.first
        let start = key.flatMap { Self.bound(of: $0, isDescending: order.isDescending) }.map {
            StructuredQuery.filter(path, order.isDescending ? "LESS_THAN_OR_EQUAL" : "GREATER_THAN_OR_EQUAL", $0)
        }
        filters = narrowing.filters + (start.map { [$0] } ?? [])
    }

    /// A value of Firestore that is not after the one of a key; nil if there is none.
    private static func bound(of key: SortKey, isDescending: Bool) -> JSONValue? {
        let text = String(decoding: key.bytes.dropFirst(), as: UTF8.self)
        switch key.bytes.first {
        case UInt8(ascii: "3"):
            guard let bits = UInt64(text.prefix(16), radix: 16) else { return nil }
            let number = Double(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits)
            guard number.isFinite else { return nil }
            return NativeValue.double(isDescending ? number.nextUp.nextUp : number.nextDown.nextDown)
        case UInt8(ascii: "5"):
            // Escaped characters begin with U+0001, and so does the rest of a long string.
            let isWhole = !text.utf8.contains(1)
            if isDescending, !isWhole { return nil }
            return .object(["stringValue": String(decoding: text.utf8.prefix { $0 != 1 }, as: UTF8.self).json])
        default: return nil
        }
    }
}

/// The place of a record in an order in which Firestore and the library agree.
enum PlainPlace: Equatable {
    case number(Double)
    case text([UInt8])

    /// Nil for a value that one of both may order in another way.
    init?(_ value: Record.Value?) {
        switch value {
        case .int(let number) where number.magnitude <= 1 << 53: self = .number(Double(number))
        case .double(let number) where number.magnitude <= 0x1p53: self = .number(number)
        case .string(let text) where text.utf8.count <= NarrowedTerm.longestOrdered: self = .text(Array(text.utf8))
        default: return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .number(let number): NativeValue.double(number)
        case .text(let bytes): .object(["stringValue": String(decoding: bytes, as: UTF8.self).json])
        }
    }
}

extension FirestoreRecordDatabase {
    /// The page of a query by a field that its filter bounds; nil if all candidates must be read.
    ///
    /// Records with one value may be in another order, so those with the last value that was read wait for the next one.
    func page(inOrderOfAField query: RecordQuery) async throws -> RecordPage? {
        _ = try query.checkedStart()
        guard let range = OrderedRange(query, names), let limit = query.limit else { return nil }
        let (targets, examined) = try await targets(of: query.filter)
        var scan = try QueryScan(query, targets: targets)
        var request = StructuredQuery(names.collection(of: query.recordType))
        (request.filters, request.order) = (range.filters, [range.path, "__name__"])
        request.isDescending = range.isDescending
        // The record before the page, one after it, and one more, which shows that all with the last value are read.
        request.limit = min(limit, DocumentPages.size - 3) + 3
        var (waiting, place) = ([Record](), PlainPlace?.none)
        while true {
            let found = try await reportingFailures { [request] in try await run(request).map(\.record) }
            for record in found {
                guard let next = PlainPlace(range.field.value(in: record)) else { return nil }
                if next != place {
                    for record in waiting { scan.add(record) }
                    (waiting, place) = ([], next)
                }
                waiting.append(record)
            }
            if scan.hasMore { return scan.page(examinedElsewhere: examined) }
            guard found.count == request.limit, let last = found.last, let place else { break }
            request.after = [place.json, names.reference(to: last.id)]
            request.limit = min(2 * found.count, DocumentPages.size)
        }
        for record in waiting { scan.add(record) }
        return scan.page(examinedElsewhere: examined)
    }
}
