import Foundation

// Files in three steps: a request for places, the uploads, and records with what those return.
// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/UploadAssets.html.
// What the page does not say, [not verified]: the form of the addresses, that a receipt is good for its record and
// field only, and the codes of all errors.
extension StandInWebCall {
    func uploadAssets(_ body: [String: Any]) throws -> [String: Any] {
        let tokens = try list("tokens", body).map {
            (try optional("recordName", $0) ?? UUID().uuidString, try required("fieldName", $0, String.self))
        }
        return try cloud.perform(name, database) { _, state in
            // The addresses are valid for 15 minutes.
            let expires = state.settings.clock().addingTimeInterval(900)
            let answers = tokens.map { record, field in
                let key = UUID().uuidString
                state.uploads[key] = (record + "/" + field, expires, nil)
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
        let isUpload = parts[0] == "upload", key = parts[1]
        let file = assets.appendingPathComponent(isUpload ? "uploads" : "server").appendingPathComponent(key)
        if !isUpload, request.method == "GET", let data = try? Data(contentsOf: file) {
            return StandInResponse(status: 200, headers: ["Content-Type": "application/octet-stream"], body: data)
        }
        let isValid = state.withLock { state in
            guard let upload = state.uploads[key], upload.expires > state.settings.clock() else { return false }
            // This page has the limit 15 MB, the page of limits 50 MB.
            return isUpload && request.method == "POST" && request.body.count <= 15_000_000
        }
        let folder = file.deletingLastPathComponent()
        guard isValid, (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil,
            (try? request.body.write(to: file)) != nil
        else {
            let error = isUpload ? StandInWebError.badRequest("upload") : StandInWebError("NOT_FOUND", "no such file")
            return StandInResponse(status: error.status, headers: webHeaders, body: Self.encoded(error.json))
        }
        state.withLock { $0.uploads[key]?.file = file }
        let json: [String: Any] = [
            "receipt": key, "fileChecksum": key, "wrappingKey": key, "referenceChecksum": key,
            "size": request.body.count,
        ]
        return StandInResponse(status: 200, headers: webHeaders, body: Self.encoded(["singleFile": json]))
    }
}
