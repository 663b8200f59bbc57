package import NestedRecords

/// Cards about one subject, which the owner may change and the members may read.
package struct Deck: RecordCodable, Identifiable, Sendable {
    @RecordName package var id: String
    package var title: String
    package let owner: User
    package private(set) var members: [User]

    /// True while the deck and its cards are being deleted.
    package private(set) var isDeleted: Bool?

    /// The audience: the names of those who may see the deck and its cards.
    ///
    /// An audience is one field of strings, so it repeats the names of the owner and of the members.
    package private(set) var readers: [String]

    package static let schema = RecordSchema(indexes: [["owner", "title"]])

    package init(id: String, title: String, owner: User, members: [User]) {
        (self.id, self.title, self.owner, self.members, readers) = (id, title, owner, [], [])
        share(with: members)
    }

    package mutating func share(with members: [User]) {
        (self.members, readers) = (members, [owner.id] + members.map(\.id))
    }

    /// Takes the deck and its cards from all users.
    package mutating func markAsDeleted() { (isDeleted, readers) = (true, []) }
}
