public import NestedRecords

extension RecordHTTPResponse {
    /// Makes the answer to a `GET` or `HEAD` for the bytes of an asset, in a service with routes of its own.
    ///
    /// ```swift
    /// guard let cover = try await store.fetch(Book.self, named: name).cover else { return RecordHTTPResponse(status: 404) }
    /// return try await RecordHTTPResponse(cover, from: store.assets, to: request, contentType: "image/png")
    /// ```
    ///
    /// The status is 200, or 206 for the field `range`, 304 if `if-none-match` has the entity tag, which is the hash, and 416
    /// for a range after the end. The body is read a chunk at a time. `nosniff` keeps a browser from guessing another type.
    ///
    /// - Parameters:
    ///   - asset: The asset, of a record that the reader may see.
    ///   - assets: The files of the store or the scope.
    ///   - request: The request, of which the method and the header count.
    ///   - contentType: The media type of the answer. The type in the asset is what a client has said: pass it on only if it
    ///     is one that runs nothing in a browser, such as `image/png`.
    ///   - cacheControl: How long the answer may be kept. By default a browser keeps it, and asks before each use whether it
    ///     still has these bytes.
    /// - Throws: `RecordDatabaseError` with the code `missingAsset`, also if the scope does not show the content; errors of the
    ///   database.
    public init(
        _ asset: RecordAsset, from assets: AssetStore, to request: RecordHTTPRequest,
        contentType: String = "application/octet-stream", cacheControl: String = "private, no-cache"
    ) async throws {
        guard try await assets.exists(asset) else {
            throw RecordDatabaseError(
                .missingAsset, reason: "the content \(asset.hash) is not in the database")
        }
        self.init(found: asset, in: assets, to: request, contentType, cacheControl)
    }

    /// Makes the answer for a content that the database has.
    init(
        found asset: RecordAsset, in assets: AssetStore, to request: RecordHTTPRequest,
        _ contentType: String, _ cacheControl: String
    ) {
        let tag = "\"\(asset.hash)\""
        self.init(
            status: 200,
            headers: [
                "content-type": contentType, "x-content-type-options": "nosniff", "accept-ranges": "bytes", "etag": tag,
                "cache-control": cacheControl,
            ])
        if let tags = request.headers["if-none-match"], Self.names(tag, in: tags) {
            status = 304
            return
        }
        var sent = 0..<asset.size
        let condition = request.headers["if-range"]
        // Only a range of GET has a meaning, and one with a condition only for the same bytes.
        if request.method == "GET", condition == nil || condition == tag {
            do {
                if let range = try ByteRange.range(request.headers["range"], ofSize: asset.size) {
                    (status, sent) = (206, range)
                    headers["content-range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(asset.size)"
                }
            } catch {
                status = 416
                headers["content-range"] = "bytes */\(asset.size)"
                return
            }
        }
        headers["content-length"] = "\(sent.count)"
        if request.method != "HEAD" { body = RecordHTTPBody(assets.bytes(of: asset, in: sent)) }
    }

    /// Whether a list of entity tags has one (RFC 9110, section 13.1.2); weak ones are the same here.
    private static func names(_ tag: String, in list: String) -> Bool {
        list.unicodeScalars.split { $0 == "," || $0 == " " || $0 == "\t" }
            .contains { ["*", tag, "W/" + tag].contains(String($0)) }
    }
}
