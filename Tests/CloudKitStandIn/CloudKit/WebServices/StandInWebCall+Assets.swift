import Foundation

// Files in three steps: a request for places, the uploads, and records with what those return.
// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/UploadAssets.html
//
// What the page does not say, [not verified]: the form of the addresses, that a receipt is good for its record and
// field only, and the codes of all errors.
extension StandInWebCall {
    func uploadAssets(_ body: [String: Any]) throws -> [String: Any] {
        let tokens = try list("tokens", body).map { json -> (record: String, field: String) in
            guard let field = json["fieldName"] as? String, !field.isEmpty else {
                throw StandInWebError.badRequest("fieldName is missing")
            }
            return (try optional("recordName", json, String.self) ?? UUID().uuidString, field)
        }
        return try cloud.perform(name, database) { _, state in
            // The addresses are valid for 15 minutes.
            let expires = state.settings.clock().addingTimeInterval(900)
            let answers = tokens.map { record, field in
                let key = UUID().uuidString
                state.uploads[key] = StandInCloud.Upload(target: record + "/" + field, expires: expires)
                return ["recordName": record, "fieldName": field, "url": web.assetOrigin + "/upload/" + key]
            }
            return ["tokens": answers]
        }
    }

    /// The file of a dictionary that an upload returned, for a field of a record.
    func asset(_ json: [String: Any], _ target: String) throws -> CKAsset {
        guard let upload = (json["receipt"] as? String).flatMap({ uploads[$0] }), upload.target == target,
            let file = upload.file, json["fileChecksum"] is String, json["size"] is NSNumber
        else { throw StandInWebError.badRequest("Invalid asset of \(target)") }
        return CKAsset(fileURL: file)
    }

    func json(_ asset: CKAsset) -> [String: Any] {
        guard let file = asset.fileURL, let data = try? Data(contentsOf: file) else { return [:] }
        let name = file.lastPathComponent
        return ["fileChecksum": name, "size": data.count, "downloadURL": web.assetOrigin + "/download/" + name]
    }
}

extension StandInCloud {
    /// Answers a request for the address of a file, or returns nil for one of an operation.
    func respondWithFile(to request: StandInRequest) -> StandInResponse? {
        let parts = request.subpath.split(separator: "/").map(String.init)
        guard parts.count == 2, parts[0] == "upload" || parts[0] == "download" else { return nil }
        var headers = webHeaders
        func failure(_ error: StandInWebError) -> StandInResponse {
            StandInResponse(status: error.status, headers: headers, body: Self.encoded(error.json))
        }
        let key = parts[1]
        if parts[0] == "download" {
            let file = assets.appendingPathComponent("server").appendingPathComponent(key)
            guard request.method == "GET", let data = try? Data(contentsOf: file) else {
                return failure(StandInWebError("NOT_FOUND", "no file"))
            }
            headers["Content-Type"] = "application/octet-stream"
            return StandInResponse(status: 200, headers: headers, body: data)
        }
        let folder = assets.appendingPathComponent("uploads"), file = folder.appendingPathComponent(key)
        let isValid = state.withLock { state in
            guard let upload = state.uploads[key], upload.expires > state.settings.clock() else { return false }
            return request.method == "POST" && request.body.count <= state.settings.web.assetLimit
        }
        guard isValid, (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil,
            (try? request.body.write(to: file)) != nil
        else { return failure(.badRequest("upload")) }
        state.withLock { $0.uploads[key]?.file = file }
        let json: [String: Any] = [
            "receipt": key, "fileChecksum": key, "size": request.body.count, "wrappingKey": key,
            "referenceChecksum": key,
        ]
        return StandInResponse(status: 200, headers: headers, body: Self.encoded(["singleFile": json]))
    }
}
