#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The place of a record in the order of a query.
struct OrderPlace: Sendable {
    /// Bytes that sort in the order, apart from collations.
    let bytes: [UInt8]

    /// The strings of the parts with a collation.
    let texts: [Text]

    struct Text: Sendable {
        /// The position of the bytes before which the string counts; those before it are equal for all strings.
        let position: Int

        /// The string; empty for another value.
        let string: String
    }

    init(bytes: [UInt8], texts: [Text]) { (self.bytes, self.texts) = (bytes, texts) }

    init(_ keys: [SortKey], _ name: String, _ order: [RecordOrder]) {
        var (bytes, texts): ([UInt8], [Text]) = ([], [])
        for (key, part) in zip(keys, order) {
            let start = bytes.count
            bytes += key.bytes
            if part.collation != nil { texts.append(Text(ofKey: bytes[start...])) }
            bytes += [1, 1]
            if part.isDescending { for position in start..<bytes.count { bytes[position] = ~bytes[position] } }
        }
        self.init(bytes: bytes + name.utf8, texts: texts)
    }
}

extension OrderPlace.Text {
    /// - Parameter key: The ``SortKey`` of a value, within the bytes of a place.
    init(ofKey key: ArraySlice<UInt8>) {
        // After the byte of the kind, or after the first byte of the end if there is no value.
        position = key.startIndex + 1
        var content: [UInt8] = []
        var rest = key.dropFirst()
        if key.first != Record.Value.Kind.string.sortByte { rest = [] }
        while let byte = rest.popFirst() {
            guard byte == 1 else {
                content.append(byte)
                continue
            }
            guard let escaped = rest.popFirst(), (2...3).contains(escaped) else { break }
            content.append(escaped - 2)
        }
        string = String(decoding: content, as: UTF8.self)
    }
}

/// The order of the places of records in a query.
struct PlaceOrder: Sendable {
    private let collations: [(collation: Collation, isDescending: Bool)]

    /// - Parameter order: A checked order.
    init(_ order: [RecordOrder]) {
        collations = order.compactMap { part in part.collation.map { (Collation($0), part.isDescending) } }
    }

    /// Whether the bytes alone sort in the order.
    var isOfBytes: Bool { collations.isEmpty }

    func isBefore(_ left: OrderPlace, _ right: OrderPlace) -> Bool {
        if isOfBytes { return left.bytes.isBefore(right.bytes) }
        var (leftStart, rightStart) = (0, 0)
        for (number, part) in collations.enumerated() {
            let (leftText, rightText) = (left.texts[number], right.texts[number])
            let leftBytes = left.bytes[leftStart..<leftText.position]
            let rightBytes = right.bytes[rightStart..<rightText.position]
            if !leftBytes.elementsEqual(rightBytes) { return leftBytes.lexicographicallyPrecedes(rightBytes) }
            let result = part.collation.compare(leftText.string, rightText.string)
            if result != .orderedSame { return result == (part.isDescending ? .orderedDescending : .orderedAscending) }
            (leftStart, rightStart) = (leftText.position, rightText.position)
        }
        return left.bytes[leftStart...].lexicographicallyPrecedes(right.bytes[rightStart...])
    }
}
