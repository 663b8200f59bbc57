/// An error for a picture that is too large to be readable.
struct PictureTooLarge: Error, Equatable, CustomStringConvertible {
    let count: Int

    var description: String {
        "a picture of \(count.grouped) boxes cannot be read as svg; draw the part below a root, or "
            + "choose another --format"
    }
}

extension Picture {
    /// The maximum number of boxes in a drawing.
    static let largestDrawing = 1_000

    /// The picture as SVG.
    ///
    /// - Parameter address: The address that a box links to; nil for none.
    /// - Throws: ``PictureTooLarge``; a few hundred boxes are still readable.
    func svg(linking address: (Node) -> String? = { _ in nil }) throws -> String {
        guard nodes.count <= Self.largestDrawing else { throw PictureTooLarge(count: nodes.count) }
        return SVGDrawing(self, linking: address).text
    }
}
