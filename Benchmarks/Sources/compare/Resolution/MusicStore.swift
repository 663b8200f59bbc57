import NestedRecords

/// A music store: three levels of lists, and few genres and media types that all tracks share.
struct MusicStore: RecordCodable, Identifiable {
    let id: Int
    var artists: [Artist]

    init(id: Int, artists: [Artist]) { (self.id, self.artists) = (id, artists) }

    /// A store of 6,872 records: itself, 450 artists, 900 albums, 5,490 tracks, 26 genres and 5 media types.
    init() {
        var random = RandomNumbers(seed: 11)
        func title() -> String {
            let letters = (0..<(8 + Int(random.next() % 24))).map { _ in UInt8(97 + random.next() % 26) }
            return String(decoding: letters, as: UTF8.self)
        }
        let genres = (1...26).map { Genre(id: $0, name: title()) }
        let types = (1...5).map { MediaType(id: $0, name: title()) }
        var tracks = (1...5_490).map { number in
            Track(
                id: number, name: title(), composer: number.isMultiple(of: 3) ? nil : title(),
                milliseconds: Int(random.next() % 600_000), bytes: Int(random.next() % 12_000_000), unitPrice: 0.99,
                genre: genres[number % 26], mediaType: types[number % 5])
        }[...]
        var albums = (1...900).map { number in
            // 6.1 tracks for each album, since 90 of 900 albums have one more.
            let count = number.isMultiple(of: 10) ? 7 : 6
            defer { tracks = tracks.dropFirst(count) }
            return Album(id: number, title: title(), tracks: Array(tracks.prefix(count)))
        }[...]
        artists = (1...450).map { number in
            defer { albums = albums.dropFirst(2) }
            return Artist(id: number, name: title(), albums: Array(albums.prefix(2)))
        }
        id = 1
    }

    struct Artist: RecordCodable, Identifiable {
        let id: Int
        let name: String
        var albums: [Album]
    }

    struct Album: RecordCodable, Identifiable {
        let id: Int
        var title: String
        let tracks: [Track]
    }

    struct Track: RecordCodable, Identifiable {
        let id: Int
        let name: String
        let composer: String?
        let milliseconds: Int
        let bytes: Int
        let unitPrice: Double
        let genre: Genre
        let mediaType: MediaType
    }

    struct Genre: RecordCodable, Identifiable {
        let id: Int
        let name: String
    }

    struct MediaType: RecordCodable, Identifiable {
        let id: Int
        let name: String
    }
}
