package import NestedRecords

/// The media types of the pictures of cards: those that browsers show and that run nothing in them, so not that of SVG.
package enum PictureType: String, CaseIterable {
    case gif = "image/gif"
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webp = "image/webp"

    /// The type of a file by the end of its name; nil for another one.
    package init?(ofFile path: String) {
        let end = path.split(separator: ".").last?.lowercased() ?? ""
        self.init(rawValue: "image/" + (end == "jpg" ? "jpeg" : end))
    }
}

extension RecordAsset {
    /// The type of a picture that a card may have; nil for another asset.
    package var pictureType: PictureType? { contentType.flatMap { PictureType(rawValue: $0) } }
}
