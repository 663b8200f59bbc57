import NestedRecords

struct Camera: RecordCodable, Identifiable, Equatable {
    var id: String
    var brand: String
    static let recordType = "ScopeCamera"
}

struct Photo: RecordCodable, Identifiable {
    var id: Int
    var owner: String?
    var title = ""
    var original: RecordLink<Photo>?
    var camera: Camera?
    static let recordType = "ScopePhoto"
}

struct Album: RecordCodable, Identifiable {
    var id: String
    var owner: String
    var cover: Photo?
    var photos: [Photo] = []
    static let recordType = "ScopeAlbum"
}

struct Comment: RecordCodable, Identifiable {
    var id: Int
    var owner: String
    var photo: Photo
    static let recordType = "ScopeComment"
    static let schema = RecordSchema(cascading: ["photo"])
}

struct Secret: RecordCodable, Identifiable {
    var id: Int
    static let recordType = "ScopeSecret"
}

extension RecordStore {
    /// The values of one user.
    func seen(by user: String) throws -> RecordStore {
        try scoped {
            $0.rule(Photo.self) { $0.owner == user }
            $0.rule(Album.self) { $0.owner == user }
            $0.rule(Comment.self) { $0.owner == user }
            $0.share(Camera.self)
        }
    }
}
