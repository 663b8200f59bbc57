import CardModel
import Foundation
import NestedRecords
import NestedRecordsHTTP
import NestedRecordsSync

/// The cards of a user in a database on the device: each command works without a network, but for the synchronization.
struct Client {
    /// Arguments that cannot be used.
    struct Mistake: Error, CustomStringConvertible {
        var description: String
    }

    static let usage = """
        usage: cards-client FILE COMMAND

          decks                           list the decks
          cards DECK                      list the cards of a deck
          add DECK FRONT BACK             add a card
          edit CARD front|back|level NEW  change a card
          attach CARD FILE                give it a picture
          picture CARD FILE               copy its picture to a file
          detach CARD                     take its picture away
          sync                            carry over the changes of both sides
          conflicts                       list the changes that lost to others, and those that the service refused
          resolve NAME mine|theirs        settle one of them: keep the own change, or give it up

        CARDS_SERVICE is the address of the service (http://127.0.0.1:8080), and CARDS_TOKEN the token of the user.
        """

    private let database: any RecordDatabase
    private let store: RecordStore
    private let sync: RecordSync

    init(_ database: any RecordDatabase, environment: [String: String]) throws {
        guard let service = URL(string: environment["CARDS_SERVICE"] ?? "http://127.0.0.1:8080") else {
            throw Mistake(description: "CARDS_SERVICE is not an address.")
        }
        var options = RemoteRecordDatabase.Options()
        options.accessToken = { refused in
            guard let token = environment["CARDS_TOKEN"], token != refused else {
                throw RecordDatabaseError(.notSignedIn, reason: "CARDS_TOKEN is not the token of a user")
            }
            return token
        }
        self.database = database
        store = RecordStore(database)
        let remote = RemoteRecordDatabase(service.appendingPathComponent("records"), options: options)
        sync = try RecordSync(database, with: remote, named: "cards")
    }

    /// Runs a command.
    ///
    /// - Returns: The lines to print.
    func run(_ command: [String]) async throws -> [String] {
        switch (command.first, Array(command.dropFirst())) {
        case ("decks", []):
            return try await store.query(Deck.self).sorted { $0.title }.all().map {
                "\($0.id)  \($0.title), of \($0.owner.name)"
            }
        case ("cards", let names) where names.count == 1:
            let link = try RecordLink(to: try await store.fetch(Deck.self, named: names[0]).value)
            return try await store.query(Card.self).filter { $0.deck == link }.sorted { $0.front }.all().map {
                "\($0.id)  \($0.front) = \($0.back), level \($0.level)" + ($0.picture == nil ? "" : ", with a picture")
            }
        case ("add", let words) where words.count == 3:
            let deck = try await store.fetch(Deck.self, named: words[0]).value
            let card = Card(
                id: UUID().uuidString, deck: try RecordLink(to: deck), front: words[1], back: words[2], level: 0)
            return [try await store.insert(card).id]
        case ("edit", let words) where words.count == 3: return try await edit(words[0], words[1], words[2])
        case ("attach", let words) where words.count == 2: return try await attach(words[0], words[1])
        case ("picture", let words) where words.count == 2:
            guard let picture = try await store.fetch(Card.self, named: words[0]).picture else {
                throw Mistake(description: "The card has no picture.")
            }
            try await store.assets.copy(picture, to: words[1])
            return []
        case ("detach", let words) where words.count == 1:
            try await store.update(Card.self, named: words[0]) { $0.picture = nil }
            return []
        case ("sync", []):
            let outcome = try await sync.synchronize()
            // Pictures that no card and no conflict has.
            try await store.assets.collect(olderThan: .seconds(86_400))
            return [
                "received \(outcome.savedCount + outcome.deletedCount), sent \(outcome.pushedCount), "
                    + "conflicts \(outcome.conflictCount), refused \(outcome.rejectedCount)"
            ]
        case ("conflicts", []):
            let refused = try await sync.rejected().map { "\($0.id.name)  \($0.recordID) was refused: \($0.reason)" }
            return try await sync.conflicts().map(Self.line) + refused
        case ("resolve", let words) where words.count == 2 && ["mine", "theirs"].contains(words[1]):
            return try await resolve(words[0], isMine: words[1] == "mine")
        default: throw Mistake(description: "'\(command.joined(separator: " "))' is not a command.")
        }
    }

    private func edit(_ name: String, _ property: String, _ text: String) async throws -> [String] {
        try await store.update(Card.self, named: name) { card in
            switch (property, Int(text)) {
            case ("front", _): card.front = text
            case ("back", _): card.back = text
            case ("level", let level?): card.level = level
            default: throw Mistake(description: "'\(property) \(text)' is not a property with its value.")
            }
        }
        return []
    }

    private func attach(_ name: String, _ path: String) async throws -> [String] {
        guard let type = PictureType(ofFile: path) else {
            throw Mistake(description: "'\(path)' has no name of a picture, such as tide.png.")
        }
        let picture = try await store.assets.add(file: path, contentType: type.rawValue)
        try await store.update(Card.self, named: name) { $0.picture = picture }
        return []
    }
}

// MARK: Conflicts

extension Client {
    private static func line(_ conflict: SyncConflict) -> String {
        func text(_ fields: Record.Fields?) -> String {
            guard let fields else { return "deleted" }
            let names = conflict.fields.isEmpty ? fields.map(\.name).sorted() : conflict.fields
            return names.map { name in "\(name) \(fields[name].map { "\($0)" } ?? "empty")" }.joined(separator: ", ")
        }
        let (mine, theirs) = (text(conflict.local), text(conflict.remote))
        return "\(conflict.id.name)  \(conflict.recordID): mine \(mine); theirs \(theirs)"
    }

    private func resolve(_ name: String, isMine: Bool) async throws -> [String] {
        if let conflict = try await sync.conflicts().first(where: { $0.id.name == name }) {
            let chosen = isMine ? conflict.local : conflict.remote
            guard let chosen else {
                try await database.commit(RecordBatch(deletingAnyVersionOf: [conflict.recordID]))
                try await sync.resolve(conflict)
                return []
            }
            let id = conflict.recordID
            var record = try await database.record(for: id) ?? Record(id: id, fields: [:])
            if conflict.kind == .fields {
                for field in conflict.fields { record[field] = chosen[field] }
            } else {
                record.fields = chosen
            }
            try await sync.resolve(conflict, with: record)
        } else if let change = try await sync.rejected().first(where: { $0.id.name == name }) {
            try await isMine ? sync.retry(change) : sync.discard(change)
        } else {
            throw Mistake(description: "'\(name)' is not a conflict.")
        }
        return []
    }
}
