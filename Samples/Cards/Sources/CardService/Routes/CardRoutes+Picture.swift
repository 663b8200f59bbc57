import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import NestedRecords
import NestedRecordsHTTP

/// The routes of the picture of a card.
///
/// Its tag is that of its bytes, so a change of the words on the card is in no conflict with one of the picture.
extension CardRoutes {
    /// A picture was changed by others.
    private struct PictureChange: Error {
        var present: RecordAsset?
    }

    func addPictures(to group: RouterGroup<CardsContext>) {
        let path: RouterPath = ":deck/cards/:card/picture"
        group.get(path, use: showPicture).head(path, use: showPicture).put(path, use: setPicture).delete(
            path, use: removePicture)
    }

    private func showPicture(_ request: Request, _ context: CardsContext) async throws -> Response {
        let store = try access.store(of: context.user)
        let card = try await card(in: store, context)
        // The same answer as without the card.
        guard let picture = card.picture else { throw RecordError(.recordNotFound, recordID: card.recordID) }
        let type = picture.pictureType?.rawValue ?? "application/octet-stream"
        var response = Response(
            try await RecordHTTPResponse(
                picture, from: store.assets, to: RecordHTTPRequest(request), contentType: type))
        // A picture that is opened as a page loads and runs nothing.
        response.headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        return response
    }

    private func setPicture(_ request: Request, _ context: CardsContext) async throws -> Response {
        let (store, tag) = (try access.store(of: context.user), try request.requiredPictureTag())
        let present = try await card(in: store, context).picture
        // What the save would refuse is refused before the bytes arrive.
        guard present?.hash == tag else { throw Problem.outdated(present) }
        let deck = try await deck(context).deck
        guard try deck.owner.id == context.user else { throw RecordError(.outsideScope, recordID: deck.recordID) }
        let picture = try await store.assets.add(
            BodyParts(body: request.body, time: limits.bodyTime), contentType: request.pictureType().rawValue,
            maximumSize: request.checkedPictureSize(upTo: limits.pictureBytes))
        guard picture.size > 0 else { throw Problem(.badRequest, "The picture is empty.") }
        try await change(pictureWith: tag, to: picture, context)
        return Response(status: tag == nil ? .created : .noContent, headers: [.eTag: "\"\(picture.hash)\""])
    }

    private func removePicture(_ request: Request, _ context: CardsContext) async throws -> Response {
        try await change(pictureWith: request.requiredTag(), to: nil, context)
        return Response(status: .noContent)
    }

    /// Replaces or removes the picture of the card of the path, if it has the hash; nil for no picture.
    private func change(pictureWith hash: String?, to picture: RecordAsset?, _ context: CardsContext) async throws {
        let store = try access.store(of: context.user)
        let id = try await card(in: store, context).id
        do {
            _ = try await changing(context) {
                try await store.update(Card.self, named: id) { card in
                    guard card.picture?.hash == hash else { throw PictureChange(present: card.picture) }
                    card.picture = picture
                }
            }
        } catch let change as PictureChange {
            throw Problem.outdated(change.present)
        }
    }
}

extension Request {
    /// The tag of the picture to replace; nil if the client says with `If-None-Match: *` that there is none.
    fileprivate func requiredPictureTag() throws -> String? {
        if headers[.ifNoneMatch] == "*", headers[.ifMatch] == nil { return nil }
        return try requiredTag()
    }

    fileprivate func pictureType() throws -> PictureType {
        let type = headers[.contentType].flatMap { MediaType(from: $0) }
        guard let type, type.type == .image, let known = PictureType(rawValue: "image/\(type.subType)") else {
            let names = PictureType.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.unsupportedMediaType, "A picture has one of the types \(names).")
        }
        return known
    }

    /// The maximum size, unless the header has a greater one.
    fileprivate func checkedPictureSize(upTo limit: Int) throws -> Int64 {
        guard headers[.contentLength].flatMap({ Int($0) }) ?? 0 <= limit else {
            throw RecordDatabaseError(.assetTooLarge, reason: "it has more than \(limit) bytes")
        }
        return Int64(limit)
    }
}

extension Problem {
    /// The problem of a client with another picture than the present one, whose tag it gets.
    fileprivate static func outdated(_ present: RecordAsset?) -> Problem {
        var problem = Problem(.preconditionFailed, "The picture has changed since the version of the tag.")
        problem.headers[.eTag] = present.map { "\"\($0.hash)\"" }
        return problem
    }
}
