import NestedRecords

/// The calls of a database that cross the network; the raw value is the last part of the path.
enum Call: String, CaseIterable {
    case fetch, commit, outcome, list, versions, types, page, count, summaries, explanation, referrers, changes, wait
    case changeToken = "change-token"
    case oldestChangeToken = "oldest-change-token"

    /// Calls about assets, whose bytes are in requests of their own: ``AssetPath``.
    case assets, asset, collect
    case beginUpload = "begin-upload"
    case uploadSize = "upload-size"
    case finishUpload = "finish-upload"
    case cancelUpload = "cancel-upload"

    /// The version of the protocol, which is a part of the path.
    static let version = "v1"

    static let contentType = "application/x-ndjson"
}

/// The names of the fields of HTTP's header.
enum HeaderName {
    /// The bits of the capabilities that the client expects of the service.
    static let capabilities = "nestedrecords-capabilities"

    /// The version of the app.
    static let app = "nestedrecords-app"

    /// The version of the app's model.
    static let schema = "nestedrecords-schema"
}
