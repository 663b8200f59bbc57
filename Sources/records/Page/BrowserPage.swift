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
    /// - Parameter isDrawn: Whether a reference to this record leads to a record of the page, or to a missing one.
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
    mutating func write(titled title: String, to write: ([UInt8]) throws -> Void) throws {
        let drawing: String
        do {
            let drawn = picture.finish()
            let view = picture.isSummary ? "#t/" : "#r/"
            drawing = try drawn.svg { view + $0.title.percentEncoded }
        } catch let error as PictureTooLarge {
            drawing = "<p>\("\(error)".xmlEscaped)</p>"
        }
        let data = data.finished(types: records.keys.lazy.map(\.type))
        let parts = [
            "title": Array(title.xmlEscaped.utf8), "drawing": Array(drawing.utf8), "data": data,
            "light colours": Self.swatches { $0.light }, "dark colours": Self.swatches { $0.dark },
        ]
        // The text up to the first place, then the name of each place with the text after it.
        let pieces = PackageResources.page_html.split(separator: Array("{{".utf8), omittingEmptySubsequences: false)
        try write(Array(pieces[0]))
        for piece in pieces.dropFirst() {
            let name = piece.prefix { $0 != UInt8(ascii: "}") }
            try write(parts[String(decoding: name, as: UTF8.self)] ?? [])
            try write(Array(piece.dropFirst(name.count + 2)))
        }
    }

    /// The rules for the colours of types in the lists of the page.
    private static func swatches(_ scheme: (PictureColours) -> (ground: String, border: String)) -> [UInt8] {
        let rules = PictureColours.palette.map(scheme).enumerated().map {
            ".t\($0).swatch { background: \($1.ground); border-color: \($1.border) }"
        }
        return Array(rules.joined(separator: "\n").utf8)
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
