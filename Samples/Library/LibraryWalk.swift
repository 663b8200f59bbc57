import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A walk through the usual work with records in a database; every step prints its result.
struct LibraryWalk {
    let write: (String) -> Void

    // A fixed clock, so that the walk prints the same every time.
    private let database = InMemoryRecordDatabase(now: { Date(timeIntervalSince1970: 1_700_000_000) })

    private var store: RecordStore { RecordStore(database) }

    init(_ write: @escaping (String) -> Void) {
        self.write = write
    }

    func run() async throws {
        try await saveAndLoad()
        try await followLinks()
        try await resolveConflict()
        try await saveChanges()
        try await deleteBook()
    }

    private func library() throws -> Library {
        let mira = Author(
            id: "mira", name: "Mira Vale", books: [try RecordLink(named: "1"), try RecordLink(named: "2")])
        let tides = Book(
            id: 1, title: "The Patient Tides", authors: [mira], tags: ["sea", "maps"], language: .english,
            published: Date(timeIntervalSince1970: 315_532_800), coverColour: Colour(red: 26, green: 82, blue: 118),
            reservedFor: nil, openPages: [7, 8])
        let lanterns = Book(
            id: 2, title: "Lanterns", authors: [mira], tags: ["night"], language: .gaelic,
            published: Date(timeIntervalSince1970: 631_152_000), coverColour: Colour(red: 212, green: 172, blue: 13),
            reservedFor: "Bo")
        return Library(
            id: "harbour", name: "Harbour Library", place: try Location(latitude: 57.05, longitude: -5.13),
            shelves: [Shelf(id: 1, books: [tides, lanterns])])
    }

    private func saveAndLoad() async throws {
        write("# Flat records")
        let graph = try RecordEncoder().encode(library())
        write("\(graph)")
        try await store.insert(library())
        let resolution = try await RecordDecoder().resolve(
            Library.self, from: Record.ID("Library/harbour"), in: database)
        write("\n# Rebuilt from \(resolution.recordCount) records in \(resolution.callCount) calls")
        for book in resolution.value.shelves.flatMap(\.books) {
            let changed = book.changed.map { $0.formatted(.iso8601) } ?? "never"
            write(
                "\(book.id) \(book.title) by \(book.authors.map(\.name).joined()), changed \(changed), "
                    + "open pages: \(book.openPages?.count ?? 0), version \(book.version?.changeTag ?? "none")")
        }
    }

    private func followLinks() async throws {
        write("\n# Links, loaded on demand")
        let author = try await store.fetch(Author.self, named: "mira").value
        write("\(author.name) wrote \(author.books)")
        let books = try await store.fetch(author.books)
        write("which are \(books.map(\.title).joined(separator: " and "))")
    }

    private func resolveConflict() async throws {
        write("\n# Two people change one book")
        var mine = try await store.fetch(Book.self, named: 1)
        try await store.update(Book.self, named: 1) { $0.title = "The Patient Tide" }
        mine.reservedFor = "Cy"
        do {
            try await store.save(&mine)
        } catch {
            write("refused: \(error)")
        }
        try await store.save(&mine, merging: { try $0.merged() })
        write("merged")
        write("'\(mine.title)', reserved for \(mine.reservedFor ?? "no reader")")
    }

    private func saveChanges() async throws {
        write("\n# Only changes are sent")
        var library = try await store.fetch(Library.self, named: "harbour")
        library.name = "Old Harbour Library"
        library.shelves[0].books[1].reservedFor = nil
        library.shelves[0].books[1].changed = nil
        write("\(try library.changes())")
        try await store.save(&library)
    }

    private func deleteBook() async throws {
        write("\n# Loans go with their book")
        try await store.insert([
            Loan(id: 7, book: try RecordLink(named: "2"), reader: "Bo"),
            Loan(id: 8, book: try RecordLink(named: "1"), reader: "Cy"),
        ])
        let options: DeletionOptions = [.cascading, .dangling]
        write("\(try await store.plan(deleting: Book.self, named: 2, options))")
        let deleted = try await store.delete(Book.self, named: 2, options)
        write("deleted \(deleted.map(\.description).joined(separator: ", "))")
        var decoder = RecordDecoder()
        decoder.coding.omitsDanglingReferences = true
        let resolution = try await decoder.resolve(Shelf.self, from: Record.ID("Shelf/1"), in: database)
        write(
            "on the shelf: \(resolution.value.books.map(\.title).joined()); left out: \(resolution.dropped[0].target)")
    }
}
