#if Engines
import Foundation
import GRDB

/// A music store in a file with GRDB: a row type and a table for each type, and an index for each foreign key.
final class GRDBMusicStore: Sendable {
    struct TrackRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "track"
        var id: Int
        var name: String
        var composer: String?
        var milliseconds: Int
        var bytes: Int
        var unitPrice: Double
        var albumID: Int?
        var position: Int
        var genreID: Int
        var mediaTypeID: Int
    }

    private struct ArtistRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "artist"
        var id: Int
        var name: String
        var storeID: Int
        var position: Int
    }

    private struct AlbumRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "album"
        var id: Int
        var title: String
        var artistID: Int
        var position: Int
    }

    private struct GenreRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "genre"
        var id: Int
        var name: String
    }

    private struct MediaTypeRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "mediaType"
        var id: Int
        var name: String
    }

    private struct StoreRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "store"
        var id: Int
    }

    private let pool: DatabasePool

    /// Opens a file, with saves that are as durable as those of the library.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS store (id INTEGER PRIMARY KEY);
                    CREATE TABLE IF NOT EXISTS genre (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE IF NOT EXISTS mediaType (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE IF NOT EXISTS artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
                        storeID INTEGER NOT NULL REFERENCES store(id), position INTEGER NOT NULL);
                    CREATE TABLE IF NOT EXISTS album (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
                        artistID INTEGER NOT NULL REFERENCES artist(id), position INTEGER NOT NULL);
                    CREATE TABLE IF NOT EXISTS track (id INTEGER PRIMARY KEY, name TEXT NOT NULL, composer TEXT,
                        milliseconds INTEGER NOT NULL, bytes INTEGER NOT NULL, unitPrice DOUBLE NOT NULL,
                        albumID INTEGER REFERENCES album(id), position INTEGER NOT NULL,
                        genreID INTEGER NOT NULL REFERENCES genre(id),
                        mediaTypeID INTEGER NOT NULL REFERENCES mediaType(id));
                    CREATE INDEX IF NOT EXISTS artistsOfStore ON artist(storeID);
                    CREATE INDEX IF NOT EXISTS albumsOfArtist ON album(artistID);
                    CREATE INDEX IF NOT EXISTS tracksOfAlbum ON track(albumID);
                    CREATE INDEX IF NOT EXISTS tracksOfGenre ON track(genreID);
                    CREATE INDEX IF NOT EXISTS tracksOfMediaType ON track(mediaTypeID);
                    """)
        }
    }

    /// Inserts a store, or writes it over the same rows.
    func insert(_ store: MusicStore, overwriting: Bool = false) async throws {
        try await pool.write { database in
            func add(_ row: some PersistableRecord) throws {
                if overwriting { try row.save(database) } else { try row.insert(database) }
            }
            var (genres, mediaTypes): (Set<Int>, Set<Int>) = ([], [])
            try add(StoreRow(id: store.id))
            for (position, artist) in store.artists.enumerated() {
                try add(ArtistRow(id: artist.id, name: artist.name, storeID: store.id, position: position))
                for (position, album) in artist.albums.enumerated() {
                    try add(AlbumRow(id: album.id, title: album.title, artistID: artist.id, position: position))
                    for (position, track) in album.tracks.enumerated() {
                        let (genre, mediaType) = (track.genre, track.mediaType)
                        if genres.insert(genre.id).inserted {
                            try add(GenreRow(id: genre.id, name: genre.name))
                        }
                        if mediaTypes.insert(mediaType.id).inserted {
                            try add(MediaTypeRow(id: mediaType.id, name: mediaType.name))
                        }
                        try add(TrackRow(track, albumID: album.id, position: position))
                    }
                }
            }
        }
    }

    /// Inserts tracks without an album, and the genres and media types of the tracks.
    func insert(_ tracks: [MusicStore.Track]) async throws {
        try await pool.write { database in
            for genre in Dictionary(grouping: tracks.map(\.genre), by: \.id).compactMap(\.value.first) {
                try GenreRow(id: genre.id, name: genre.name).insert(database)
            }
            for mediaType in Dictionary(grouping: tracks.map(\.mediaType), by: \.id).compactMap(\.value.first) {
                try MediaTypeRow(id: mediaType.id, name: mediaType.name).insert(database)
            }
            for (position, track) in tracks.enumerated() {
                try TrackRow(track, albumID: nil, position: position).insert(database)
            }
        }
    }

    func tracks(ofGenre id: Int) async throws -> [TrackRow] {
        try await pool.read { try TrackRow.filter(Column("genreID") == id).fetchAll($0) }
    }

    /// The store, with one query for each table.
    func store() async throws -> MusicStore? {
        try await pool.read { database in
            let genres = try GenreRow.fetchAll(database).reduce(into: [:]) {
                $0[$1.id] = MusicStore.Genre(id: $1.id, name: $1.name)
            }
            let mediaTypes = try MediaTypeRow.fetchAll(database).reduce(into: [:]) {
                $0[$1.id] = MusicStore.MediaType(id: $1.id, name: $1.name)
            }
            let tracks = try TrackRow.order(Column("position")).fetchAll(database).reduce(
                into: [Int?: [MusicStore.Track]]()
            ) {
                guard let genre = genres[$1.genreID], let type = mediaTypes[$1.mediaTypeID] else { return }
                $0[$1.albumID, default: []].append(
                    MusicStore.Track(
                        id: $1.id, name: $1.name, composer: $1.composer, milliseconds: $1.milliseconds,
                        bytes: $1.bytes, unitPrice: $1.unitPrice, genre: genre, mediaType: type))
            }
            let albums = try AlbumRow.order(Column("position")).fetchAll(database).reduce(
                into: [Int: [MusicStore.Album]]()
            ) {
                $0[$1.artistID, default: []].append(
                    MusicStore.Album(id: $1.id, title: $1.title, tracks: tracks[$1.id] ?? []))
            }
            let artists = try ArtistRow.order(Column("position")).fetchAll(database).map {
                MusicStore.Artist(id: $0.id, name: $0.name, albums: albums[$0.id] ?? [])
            }
            return try StoreRow.fetchOne(database).map { MusicStore(id: $0.id, artists: artists) }
        }
    }

    func close() throws { try pool.close() }
}

extension GRDBMusicStore.TrackRow {
    fileprivate init(_ track: MusicStore.Track, albumID: Int?, position: Int) {
        self.init(
            id: track.id, name: track.name, composer: track.composer, milliseconds: track.milliseconds,
            bytes: track.bytes, unitPrice: track.unitPrice, albumID: albumID, position: position,
            genreID: track.genre.id, mediaTypeID: track.mediaType.id)
    }
}
#endif
