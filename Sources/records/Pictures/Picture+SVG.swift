/// A picture is too large to be drawn so that anybody could read it.
struct PictureTooLarge: Error, Equatable, CustomStringConvertible {
    let count: Int

    var description: String {
        "a picture of \(count.grouped) boxes cannot be read as svg; draw the part below a root, or "
            + "choose another --format"
    }
}

extension Picture {
    /// The most boxes that are drawn.
    static let largestDrawing = 1_000

    /// The picture drawn.
    ///
    /// - Throws: ``PictureTooLarge``; a few hundred boxes can still be read.
    func svg() throws -> String {
        guard nodes.count <= Self.largestDrawing else { throw PictureTooLarge(count: nodes.count) }
        return SVGDrawing(self).text
    }
}
