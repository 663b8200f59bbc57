/// What the user stated about a document; the rest is guessed.
struct GuessOptions: Sendable {
    /// The name of the file, which names the document.
    var documentName = "document"

    /// The name from which the type of the roots is made; nil for standard input.
    var fileName: String?

    /// Whether nothing is guessed: types are keys, and only objects with an identifier are records.
    var isExact = false

    /// Whether the names that are UUIDs are those of Swift's `UUID`, in upper case.
    var canonicalizesUUIDs = false

    /// The type of the roots.
    var rootType: String?

    /// The types of the objects under a key or at a path.
    var types: [(place: String, type: String)] = []

    /// The keys of identifiers, of a type or of all.
    var identifiers: [(type: String?, key: String)] = []
    var dates: [String] = []
    var locations: [String] = []

    /// The keys or paths of objects that are not records.
    var embedded: [String] = []
    var ignored: [String] = []

    /// The types that the values under a key or at a path refer to.
    var references: [(place: String, type: String)] = []

    /// Whether values become references only where the user states it.
    var hasOnlyStatedReferences = false

    /// The key of the identifiers of a type; nil if the user stated none.
    func identifier(of type: String) -> String? {
        identifiers.last { $0.type == type }?.key ?? identifiers.last { $0.type == nil }?.key
    }
}

extension Survey {
    /// Whether a place has the key or the path that an option names.
    func matches(_ name: String, _ place: Int) -> Bool {
        place > 0 && places[place].pathSize == name.utf8.count && path(of: place).utf8.elementsEqual(name.utf8)
            || key(of: place)?.utf8.elementsEqual(name.utf8) ?? false
    }
}
