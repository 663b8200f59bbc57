import NestedRecords

/// A page with records and a drawing of them, which a browser shows without a network.
struct BrowserPage: RecordCollector {
    /// The maximum size of the records of a page, in bytes: a browser holds them in memory several times.
    static let mostBytes = 64 << 20

    private let mostBytes: Int
    private var picture: RecordPicture
    private var records: [Record.ID: Record] = [:]
    private var data = PageData()

    /// Begins a page.
    ///
    /// - Parameters:
    ///   - isSummary: Whether to draw types also if there are few records.
    ///   - mostBytes: The maximum size of the records.
    init(isSummary: Bool, mostBytes: Int = mostBytes) {
        self.mostBytes = mostBytes
        picture = RecordPicture(isSummary: isSummary)
    }

    /// Adds a record; a repeated record is ignored.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - isDrawn: Whether a reference to this record leads to a record of the page, or to a missing one.
    /// - Throws: ``RepeatedRecord`` for a record that was added before with other content, ``PageTooLarge``.
    mutating func add(_ record: Record, where isDrawn: (Record.ID) -> Bool) throws {
        if let known = records.updateValue(record, forKey: record.id) {
            guard try known.isSame(as: record) else { throw RepeatedRecord(id: record.id) }
            return
        }
        try picture.add(record, where: isDrawn)
        data.add(record, where: isDrawn)
        guard data.bytes.count <= mostBytes else { throw PageTooLarge(mostBytes: mostBytes) }
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - title: The title, in any text.
    ///   - write: Writes UTF-8.
    /// - Throws: Errors of the closure.
    mutating func write(titled title: String, to write: ([UInt8]) throws -> Void) throws {
        let drawing: String
        do {
            let drawn = picture.finish()
            let view = picture.isSummary ? "#t/" : "#r/"
            drawing = try drawn.svg { view + $0.title.percentEncoded }
        } catch let error as PictureTooLarge {
            drawing = "<p>\("\(error)".xmlEscaped)</p>"
        }
        try write(Array(PageFrame.start(title: title.xmlEscaped, drawing: drawing).utf8))
        try write(data.finished(types: records.keys.lazy.map(\.type)))
        try write(Array(PageFrame.end.utf8))
    }
}

/// An error for records that are too large for a page.
struct PageTooLarge: Error, Equatable, CustomStringConvertible {
    let mostBytes: Int

    var description: String {
        "the records take more than \(mostBytes.grouped) bytes, which a browser cannot show in one page; give a ROOT-ID "
            + "with a --depth, or choose another --format"
    }
}

extension String {
    /// The text as a part of an address: all bytes except ASCII letters, digits, `-`, `.` and `_` are encoded.
    fileprivate var percentEncoded: String {
        utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII, scalar.properties.isAlphabetic || "-._0123456789".utf8.contains(byte) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
