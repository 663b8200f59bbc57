/// Where a database is, or is to be created: the path of a file, or the address of a server.
struct DatabasePlace: Sendable {
    let engine: Engine

    /// The argument of the command line.
    let path: String

    let address: ServerAddress?

    /// The place in messages, without a password.
    var shown: String { address?.shown ?? path }

    /// A path, which the caller knows to be that of a database of an engine.
    init(_ path: String, of engine: Engine) { (self.path, self.engine, address) = (path, engine, nil) }

    /// Recognizes the engine.
    ///
    /// The content of an existing file decides what it is, and the suffix of a new one; other files are record files.
    ///
    /// - Throws: `UsageError` for an invalid address.
    init(_ path: String) throws {
        self.path = path
        address = try ServerAddress(path)
        let found =
            switch OpenFile.size(at: path) {
            case _ where address != nil: address?.engine
            case 0: Engine.ofNewFile(path)
            case nil: nil as Engine?
            default: (try? OpenFile(path))?.engine
            }
        engine = found ?? .recordFile
    }

    /// Opens the database.
    ///
    /// - Throws: ``InputError`` if this build does not support the engine, or the engine cannot do what the use needs,
    ///   and errors of the database.
    func open(for use: DatabaseUse) async throws -> any StoredDatabase {
        guard let open = engine.open else {
            let place = address == nil ? engine.name : "on \(engine.name)"
            let reason = "is \(place); this build does not support it, build it with '--traits \(engine.trait ?? "")'"
            throw InputError(input: shown, reason: reason)
        }
        if case .indexing(_, true) = use, !engine.removesIndexes {
            throw InputError(input: shown, reason: "is on a server, where no index is removed")
        }
        return try await open(self, use)
    }
}
