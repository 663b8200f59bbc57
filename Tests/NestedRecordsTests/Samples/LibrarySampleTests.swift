import TestSupport
import Testing

@testable import LibrarySample

@Suite struct LibrarySampleTests {
    @Test func walkPrintsWhatItShows() async throws {
        var lines: [String] = []
        try await LibraryWalk { lines.append($0) }.run()
        #expect(lines.joined(separator: "\n") == Self.expected)
    }

    private static let expected = """
        # Flat records
        Author/mira
            name: "Mira Vale"
            books: [⇢ Book/1, ⇢ Book/2]
        Book/1
            title: "The Patient Tides"
            authors: [→ Author/mira]
            tags: ["maps", "sea"]
            language: "en"
            published: 1980-01-01T00:00:00Z
            cover: "#1a5276"
            reservedFor: null
            changed: the time of the save
        Book/2
            title: "Lanterns"
            authors: [→ Author/mira]
            tags: ["night"]
            language: "gd"
            published: 1990-01-01T00:00:00Z
            cover: "#d4ac0d"
            reservedFor: "Bo"
            changed: the time of the save
        Shelf/1
            books: [→ Book/1, → Book/2]
        Library/harbour
            name: "Harbour Library"
            place: 57.05;-5.13
            shelves: [→ Shelf/1]

        # Rebuilt from 5 records in 4 calls
        1 The Patient Tides by Mira Vale, changed 2023-11-14T22:13:20Z, open pages: 0, version 2
        2 Lanterns by Mira Vale, changed 2023-11-14T22:13:20Z, open pages: 0, version 3

        # Links, loaded on demand
        Mira Vale wrote [⇢ Book/1, ⇢ Book/2]
        which are The Patient Tides and Lanterns

        # Two people change one book
        refused: record Book/1 is at version 6, and the one to save is at version 2
        merged
        'The Patient Tide', reserved for Cy

        # Only changes are sent
        ~ Book/2
            ~ reservedFor: "Bo" => null
            ~ changed: 2023-11-14T22:13:20Z => the time of the save
        ~ Library/harbour
            ~ name: "Harbour Library" => "Old Harbour Library"

        # Loans go with their book
        2 records to delete, 1 of them as requested: Loan/7, Book/2
        would dangle: Author/mira refers to Book/2 at 'books[1]'
        would dangle: Shelf/1 refers to Book/2 at 'books[1]'
        deleted Loan/7, Book/2
        on the shelf: The Patient Tide; left out: Book/2
        """
}
