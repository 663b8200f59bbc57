import NestedRecords

/// A question and its answer, with the numbers of right and wrong guesses.
struct Card: RecordCodable, Identifiable {
    @RecordName var id: String
    var front: String
    var back: String
    var successes = 0
    var failures = 0

    static let recordType = "ViewCard"
}

struct Box: RecordCodable, Identifiable {
    @RecordName var id: String
    var label: String
    var cards: [Card]

    static let recordType = "ViewBox"
}
