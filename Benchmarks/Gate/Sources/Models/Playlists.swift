import Foundation
import NestedRecords

/// Playlists of tracks that occur as separate equal copies, like values from JSON.
public struct Playlists: RecordCodable, Identifiable, Sendable {
    /// The name of the record.
    public var id = "playlists"
    var lists: [Playlist]

    /// The number of records: these, 18 playlists, 550 tracks, 26 genres and 5 media types.
    public static let recordCount = 600

    struct Playlist: RecordCodable, Identifiable, Sendable {
        var id: Int
        var name: String
        var tracks: [Track]
    }

    struct Track: RecordCodable, Identifiable, Sendable {
        var id: Int
        var name: String
        var composer: String
        var milliseconds: Int
        var bytes: Int
        var unitPrice: Double
        var genre: Genre
        var mediaType: MediaType
    }

    struct Genre: RecordCodable, Identifiable, Sendable {
        var id: Int
        var name: String
    }

    struct MediaType: RecordCodable, Identifiable, Sendable {
        var id: Int
        var name: String
    }

    /// 1,710 tracks, of which each occurs some three times, and as many genres and media types.
    public static func copies() throws -> Playlists {
        let lists = (0..<18).map { list in
            Playlist(id: list, name: "Playlist number \(list)", tracks: (0..<95).map { track((list * 95 + $0) % 550) })
        }
        // The value is decoded, so that no two values share the storage of a string.
        return try JSONDecoder().decode(Playlists.self, from: JSONEncoder().encode(Playlists(lists: lists)))
    }

    private static func track(_ number: Int) -> Track {
        Track(
            id: number, name: "The name of track number \(number)", composer: "The composer of track \(number)",
            milliseconds: number * 317, bytes: number * 9_041, unitPrice: 0.99,
            genre: Genre(id: number % 26, name: "Genre \(number % 26)"),
            mediaType: MediaType(id: number % 5, name: "The media type with number \(number % 5)"))
    }
}
