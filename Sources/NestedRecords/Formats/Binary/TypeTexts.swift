/// The types of the last IDs that were read: IDs of one type share its memory.
struct TypeTexts {
    private static let most = 4
    private var latest = ""

    /// The type before it: the types of two references in each record alternate.
    private var previous = ""
    private var others: [String] = []
    private var oldest = 0

    @inline(__always)
    mutating func text(_ bytes: BytesInPlace, at start: Int) throws(RecordFormatError) -> String {
        if !bytes.isEmpty {
            if latest.hasSameBytes(as: bytes) { return latest }
            swap(&latest, &previous)
            if latest.hasSameBytes(as: bytes) { return latest }
        }
        latest = try find(bytes, at: start)
        return latest
    }

    @inline(never)
    private mutating func find(_ bytes: BytesInPlace, at start: Int) throws(RecordFormatError) -> String {
        if let known = others.first(where: { $0.hasSameBytes(as: bytes) }) { return known }
        let text = try ByteCursor.text(bytes, at: start + 1)
        if let fault = Record.ID.validationError(forType: text) {
            throw RecordFormatError(.invalidID, at: start, reason: fault)
        }
        if others.count < Self.most {
            others.append(text)
        } else {
            others[oldest] = text
            oldest = (oldest + 1) % Self.most
        }
        return text
    }
}
